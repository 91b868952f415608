"""What a server says of itself at /healthz, /livez and /readyz. Source: apiserver/pkg/server/healthz.

Its checks are those of a server without an etcd of its own.
"""

from collections.abc import Sequence

_ALWAYS, _READY_FIRST, _READY_LAST = ("ping", "log"), "informer-sync", "shutdown"


def checks(probe: str) -> Sequence[str]:
    return (*_ALWAYS, _READY_FIRST, _READY_LAST) if probe == "readyz" else _ALWAYS


def report(probe: str, excluded: str, *, is_verbose: bool) -> str:
    """`excluded`: the check that is not to be made, "" for none."""
    if not is_verbose:
        return "ok"
    known = checks(probe)
    lines = [f"[+]{check} excluded: ok" if check == excluded else f"[+]{check} ok" for check in known]
    if excluded and excluded not in known:
        lines.append(f'warn: some health checks cannot be excluded: no matches for "{excluded}"')
    return "\n".join([*lines, f"{probe} check passed", ""])
