"""The paths of liveness and readiness probes."""

LIVENESS, READINESS = ("healthz", "livez"), ("readyz",)


def is_liveness(path: str) -> bool:
    return path.removeprefix("/").partition("/")[0] in LIVENESS
