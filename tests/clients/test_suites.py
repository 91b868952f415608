"""`make clients` sorts what a suite reports into passed, known and unexpected."""

from pathlib import Path

import pytest

from tests.clients.suites.catalog import SUITES, read_known_failures
from tests.clients.suites.kubectl_scripts import read_assertions
from tests.clients.suites.outcomes import compare, read_report

REPORT = """<testsuites><testsuite>
<testcase classname="package.tests.test_pods.TestPods" name="test_get" />
<testcase classname="package.tests.test_pods" name="test_exec"><failure message="403\nForbidden" /></testcase>
<testcase classname="package.tests.test_pods" name="test_logs"><error message="no container" /></testcase>
<testcase classname="package.tests.test_pods" name="test_top"><skipped /></testcase>
</testsuite></testsuites>"""


def test_a_report_names_each_test_by_module_and_class(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    assert read_report(tmp_path / "report.xml") == {
        "test_pods.TestPods::test_get": "",
        "test_pods::test_exec": "403 Forbidden",
        "test_pods::test_logs": "no container",
        "test_pods::test_top": None,
    }


def test_each_assertion_of_a_script_is_named_by_its_case_and_line() -> None:
    lines = [
        "PASS\tpods\tcore.sh:7\t",
        "PASS\tpods\tcore.sh:7\t",
        "FAIL\tpods\tcore.sh:9\tGot: b",
        "FAIL\tjobs\tend\texit code 1",
    ]
    assert read_assertions("\n".join(lines)) == {
        "pods::core.sh:7": "",
        "pods::core.sh:7#2": "",
        "pods::core.sh:9": "Got: b",
        "jobs::end": "exit code 1",
    }


OUTCOMES = {"a::passes": "", "a::fails": "403", "a::skipped": None}


@pytest.mark.parametrize(
    ("known", "unexpected", "repaired", "expected"),
    [
        ({"a::fails": "cause"}, [], [], True),
        ({}, ["a::fails"], [], False),
        ({"a::fails": "cause", "a::passes": "cause"}, [], ["a::passes"], False),
    ],
)
def test_a_run_is_expected_when_it_fails_exactly_as_known(
    known: dict[str, str], unexpected: list[str], repaired: list[str], expected: bool
) -> None:
    comparison = compare(OUTCOMES, known)
    assert (comparison.passed, comparison.skipped) == (1, 1)
    assert list(comparison.unexpected) == unexpected
    assert comparison.repaired == repaired
    assert comparison.is_expected == expected


def test_each_known_failure_belongs_to_a_suite_and_has_a_cause() -> None:
    known_failures = read_known_failures()
    assert set(known_failures) <= {suite.name for suite in SUITES}
    assert all(cause for tests in known_failures.values() for cause in tests.values())
