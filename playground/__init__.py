"""The Django project: clusters in a database, commands in, records out; what decides is `scheduler_core`."""
