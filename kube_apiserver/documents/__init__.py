"""Discovery, health, version and OpenAPI documents."""
