"""The scheduler's configuration: the one at work, its versions, drafts, and those of past releases."""
