"""Reasons and messages of a Job's final conditions. Source: pkg/controller/job/job_controller.go."""

LIMIT_EXCEEDED = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
TIME_EXCEEDED = ("DeadlineExceeded", "Job was active longer than specified deadline")
INDEXES_FAILED = ("FailedIndexes", "Job has failed indexes")
TOO_MANY_INDEXES_FAILED = (
    "MaxFailedIndexesExceeded",
    "Job has exceeded the specified maximal number of failed indexes",
)
REACHED = ("CompletionsReached", "Reached expected number of succeeded pods")
TOO_MANY_SUCCEEDED = "Too many succeeded pods running after completion count reached"
MORE_READY = "status.ready: Invalid value: {ready}: cannot set more ready pods than active"
