"""The client suites that `make clients` runs, and the failures that are known, with their causes."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

KNOWN_FAILURES = Path(__file__).with_name("known_failures.toml")


@dataclass(frozen=True)
class Suite:
    """An end-to-end test suite that the authors of a Kubernetes client publish in their repository.

    `tests` is the path that pytest is given. `copy` maps a folder of the clone to the folder of the installed packages
    that it belongs to; a suite without `copy` runs in its clone. `generated` holds the files that a build of the client
    would write into the clone, by path. `folders` are those that a clone needs, if it doesn't need all.
    """

    name: str
    repository: str
    commit: str
    tests: str
    copy: dict[str, str] = field(default_factory=dict)
    generated: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


KUBECTL = Suite(
    name="kubectl",
    repository="https://github.com/kubernetes/kubernetes",
    commit="0f29094e5b73085e3802ecc1298ecae13866bfe6",
    tests="test/cmd",
    folders=(
        "hack/lib",
        "hack/testdata",
        "test/cmd",
        "test/e2e/testing-manifests",
        "test/fixtures",
        "third_party/forked/shell2junit",
    ),
)
"""The shell scripts by which upstream tests kubectl v1.36.3 (`make test-cmd`)."""

SUITES = [
    Suite(
        name="kubernetes",
        repository="https://github.com/kubernetes-client/python",
        commit="024658493d124f046fc0a9827a2a3165cf2aee28",
        tests="kubernetes/e2e_test",
        copy={"kubernetes/e2e_test": "kubernetes/e2e_test"},
    ),
    Suite(
        name="kubernetes_asyncio",
        repository="https://github.com/tomplus/kubernetes_asyncio",
        commit="cb0b819d0666538dc02f39a858e251834f980d4e",
        tests="kubernetes_asyncio/e2e_test",
        copy={"kubernetes_asyncio/e2e_test": "kubernetes_asyncio/e2e_test"},
    ),
    Suite(
        name="lightkube",
        repository="https://github.com/gtsystem/lightkube",
        commit="2f41260dc98af0cd3f62a526539a72cd8289af73",
        tests="e2e-tests",
    ),
    Suite(
        name="kr8s",
        repository="https://github.com/kr8s-org/kr8s",
        commit="418ce61c668c4eb8e35bd664868df3cbf680c8ef",
        tests="kr8s",
        generated={"kr8s/_version.py": '__version__ = "0.20.15"\n'},
        options=("-p", "pytest_kind.plugin"),
    ),
    KUBECTL,
]


def read_known_failures() -> dict[str, dict[str, str]]:
    """Return, by suite, the cause of each test that is known to fail.

    Raises KeyError when a test names a cause that the table `causes` does not explain.
    """
    document = tomllib.loads(KNOWN_FAILURES.read_text())
    causes = document.pop("causes")
    return {
        suite: {test: causes[cause] for cause, tests in by_cause.items() for test in tests}
        for suite, by_cause in document.items()
    }
