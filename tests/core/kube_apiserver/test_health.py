"""What a server says of itself. Measured from kube-apiserver v1.36.2."""

import pytest

from kube_apiserver.documents import health

FIRST = "[+]ping ok\n[+]log ok\n"
HOOK = "[+]poststarthook/"
REPORTS = [
    ("livez", "", False, ["ok"]),
    ("livez", "", True, [f"{FIRST}[+]loopback-serving-certificate ok\n[+]etcd ok\n{HOOK}start-apiserver-admission"]),
    ("readyz", "", True, [f"{FIRST}[+]informer-sync ok\n{HOOK}start", "[+]shutdown ok\nreadyz check passed\n"]),
    ("healthz", "log", True, ["[+]ping ok\n[+]log excluded: ok\n", "healthz check passed\n"]),
    ("livez", "etcd", True, ["[+]etcd excluded: ok\n", f"{HOOK}rbac/bootstrap-roles ok\n"]),
    (
        "readyz",
        "etcd",
        True,
        ['warn: some health checks cannot be excluded: no matches for "etcd"\nreadyz check passed\n'],
    ),
]


@pytest.mark.parametrize(("probe", "excluded", "is_verbose", "wanted"), REPORTS)
def test_reports(probe: str, excluded: str, is_verbose: bool, wanted: list[str]) -> None:
    report = health.report(probe, excluded, is_verbose=is_verbose)
    assert [each for each in wanted if each not in report] == []


def test_numbers_of_checks() -> None:
    assert [len(health.checks(probe)) for probe in ("livez", "readyz", "healthz")] == [35, 35, 35]
