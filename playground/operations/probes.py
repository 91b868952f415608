"""The endpoints /healthz, /livez and /readyz, with kube-scheduler's output.

Source: k8s.io/apiserver/pkg/server/healthz.
"""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from playground.operations.health import LIVE, READY, Check, UnhealthyError
from playground.web.probe_paths import LIVENESS, READINESS

PROBES: Mapping[str, Mapping[str, Check]] = dict.fromkeys(LIVENESS, LIVE) | dict.fromkeys(READINESS, READY)


class Probes:
    """Middleware that answers probes before the Host header is checked, because kubelets probe IP addresses.

    `?verbose` shows every check, `?exclude=NAME` omits one, `/readyz/NAME` runs only one.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        probe, _, only = request.path.removeprefix("/").partition("/")
        checks = PROBES.get(probe)
        if checks is None or request.method not in ("GET", "HEAD") or (only and only not in checks):
            return self.get_response(request)
        if only:
            checks = {only: checks[only]}
        return _answer(probe, checks, request)


def _answer(probe: str, checks: Mapping[str, Check], request: HttpRequest) -> HttpResponse:
    excluded = set(request.GET.getlist("exclude"))
    lines, failed = [], False
    for name, check in checks.items():
        if name in excluded:
            lines.append(f"[+]{name} excluded: ok")
            continue
        try:
            check()
        except UnhealthyError as error:
            failed = True
            lines.append(f"[-]{name} failed: {error}")
        else:
            lines.append(f"[+]{name} ok")
    unknown = sorted(excluded.difference(checks))
    if unknown:
        lines.append(f"warn: some health checks cannot be excluded: no matches for {', '.join(unknown)[:200]}")
    lines.append(f"{probe} check {'failed' if failed else 'passed'}")
    text = "\n".join(lines) if failed or "verbose" in request.GET else "ok"
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return HttpResponse(
        text + "\n", status=503 if failed else 200, content_type="text/plain; charset=utf-8", headers=headers
    )
