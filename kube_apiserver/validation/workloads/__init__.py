"""Validation of workloads: their specs, Job policies, cron schedules and statuses."""
