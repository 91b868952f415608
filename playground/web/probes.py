"""What is asked of a process: whether it lives, and whether it can serve requests."""

LIVENESS, READINESS = ("healthz", "livez"), ("readyz",)


def is_liveness(path: str) -> bool:
    return path.removeprefix("/").partition("/")[0] in LIVENESS
