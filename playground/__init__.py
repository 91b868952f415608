"""The Django project: it stores clusters, accepts commands and returns records; `scheduler_core` decides."""
