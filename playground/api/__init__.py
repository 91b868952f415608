"""The HTTP API: thin views over services and selectors. Contract: docs/reference/http-api.md."""
