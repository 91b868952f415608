"""The scheduler's configuration: the active one, its versions, drafts, and those of past releases."""
