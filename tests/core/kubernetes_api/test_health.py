"""What a server says of itself."""

import pytest

from kubernetes_api.documents import health

REPORTS = [
    ("livez", "", False, "ok"),
    ("livez", "", True, "[+]ping ok\n[+]log ok\nlivez check passed\n"),
    ("readyz", "", True, "[+]ping ok\n[+]log ok\n[+]informer-sync ok\n[+]shutdown ok\nreadyz check passed\n"),
    ("healthz", "log", True, "[+]ping ok\n[+]log excluded: ok\nhealthz check passed\n"),
    (
        "livez",
        "etcd",
        True,
        "[+]ping ok\n[+]log ok\n"
        'warn: some health checks cannot be excluded: no matches for "etcd"\nlivez check passed\n',
    ),
]


@pytest.mark.parametrize(("probe", "excluded", "is_verbose", "want"), REPORTS)
def test_reports(probe: str, excluded: str, is_verbose: bool, want: str) -> None:
    assert health.report(probe, excluded, is_verbose=is_verbose) == want
