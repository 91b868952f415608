"""The CronJob controller, which creates Jobs on a schedule. Source: pkg/controller/cronjob."""
