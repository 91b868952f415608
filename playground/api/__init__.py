"""The HTTP API: thin views over services and selectors. Contract: docs/api.md."""
