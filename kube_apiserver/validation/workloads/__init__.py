"""What pods come from: their specs, policies, schedules and statuses."""
