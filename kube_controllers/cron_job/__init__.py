"""CronJob: jobs at given times. Source: pkg/controller/cronjob."""
