"""`make clients`: run the test suites that the authors of Kubernetes clients publish, against a playground.

    python -m tests.clients.suites [NAME …] [--sources FOLDER] [--kubectl FILE]

Clones each suite at a pinned commit, or takes the clone of that name in FOLDER, and installs the pinned clients into an
environment of their own. Prints a table and each failure that `known_failures.toml` doesn't explain. Exits with 1 when
there is one, or when a known failure passes.

The suite `kubectl`, which takes half an hour, needs the kubectl of the release that it belongs to: FILE.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.clients.suites import clusters, kubectl_scripts
from tests.clients.suites.catalog import KUBECTL, SUITES, Suite, read_known_failures
from tests.clients.suites.outcomes import Comparison, compare, read_report
from tests.kubectl import programs
from tests.resilience.client import Client
from tests.services import run_playground

HERE = Path(__file__).parent
ENVIRONMENT = Path(sys.prefix) / "clients"
SECONDS_PER_TEST = 60
SECONDS_PER_SUITE = 1800


def main() -> int:
    """Run the suites that the command line names, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.clients.suites", description=__doc__.splitlines()[0])
    names = [suite.name for suite in SUITES]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"suites to run: {', '.join(names)}")
    parser.add_argument("--sources", type=Path, help="a folder with clones, named like the suites")
    parser.add_argument("--kubectl", type=Path, help="the program for the suite kubectl, which runs only with it")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.names) - set(names)):
        parser.error(f"no suite is called {', '.join(unknown)}; there are {', '.join(names)}")
    python = install_clients()
    known_failures = read_known_failures()
    expected = True
    with (
        tempfile.TemporaryDirectory(prefix="playground-clients-") as folder,
        run_playground(Path(folder) / "data") as playground,
    ):
        client = Client([playground.url], None)
        for suite in SUITES:
            if arguments.names and suite.name not in arguments.names:
                continue
            if suite is KUBECTL and arguments.kubectl is None:
                print("kubectl: not run, because it needs --kubectl FILE")
                continue
            work = Path(folder) / suite.name
            clone = take_clone(suite, arguments.sources, work)
            if suite is KUBECTL:
                outcomes = kubectl_scripts.run(clone, arguments.kubectl.resolve(), client, playground.url, work)
            else:
                kubeconfig = clusters.create_like_kind(client, playground.url, work)
                outcomes = run_suite(suite, python, clone, kubeconfig, work)
            comparison = compare(outcomes, known_failures.get(suite.name, {}))
            print_comparison(suite, comparison)
            expected &= comparison.is_expected
    return 0 if expected else 1


def install_clients() -> Path:
    """Return the Python of the environment with the clients; install it when the requirements have changed."""
    requirements, stamp = HERE / "requirements.txt", ENVIRONMENT / "installed"
    python = ENVIRONMENT / "bin" / "python"
    if not stamp.exists() or stamp.read_text() != requirements.read_text():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--require-hashes", "-r", str(requirements)], check=True)
        stamp.write_text(requirements.read_text())
    return python


def take_clone(suite: Suite, sources: Path | None, work: Path) -> Path:
    """Return a folder with the suite's files; exit with a message when they can't be cloned."""
    clone = work / "clone"
    if sources is not None:
        if not (sources / suite.name).is_dir():
            sys.exit(f"{sources / suite.name} is not a folder: clone {suite.repository} there")
        shutil.copytree(sources / suite.name, clone, ignore=shutil.ignore_patterns(".git"))
        return clone
    clone.mkdir(parents=True)
    # Of a large repository only some folders are fetched.
    folders = [["sparse-checkout", "set", *suite.folders]] if suite.folders else []
    part = ["--filter", "blob:none"] if suite.folders else []
    for command in (
        ["init", "--quiet"],
        ["remote", "add", "origin", suite.repository],
        *folders,
        ["fetch", "--quiet", "--depth", "1", *part, "origin", suite.commit],
        ["checkout", "--quiet", "FETCH_HEAD"],
    ):
        if subprocess.run(["git", *command], cwd=clone, check=False).returncode:
            sys.exit(f"{suite.repository} could not be cloned; name a folder with clones: --sources FOLDER")
    return clone


def run_suite(suite: Suite, python: Path, clone: Path, kubeconfig: Path, work: Path) -> dict[str, str | None]:
    """Run a suite with pytest and return the outcome of each test."""
    where = clone
    if suite.copy:
        (packages,) = (python.parent.parent / "lib").glob("python*/site-packages")
        for source, target in suite.copy.items():
            shutil.copytree(clone / source, packages / target, dirs_exist_ok=True)
        where = packages
    for path, text in suite.generated.items():
        (clone / path).write_text(text)
    report = work / "report.xml"
    limits = ["-p", "no:cacheprovider", "-o", "addopts=", "-o", "reruns=0", f"--timeout={SECONDS_PER_TEST}"]
    command = [str(python), "-m", "pytest", "-q", "--tb=line", f"--junitxml={report}", *limits, *suite.options]
    environ = {
        **os.environ,
        "HOME": str(work),
        "KUBECONFIG": str(kubeconfig),
        "PATH": f"{programs.folder()}:{os.environ['PATH']}",
        "PYTHONPATH": str(HERE / "stand_ins"),
    }
    with (work / "output").open("w+") as output:
        subprocess.run(
            [*command, suite.tests],
            cwd=where,
            env=environ,
            stdout=output,
            stderr=output,
            timeout=SECONDS_PER_SUITE,
            check=False,
        )
        if not report.exists():
            output.seek(0)
            sys.exit(f"The suite of {suite.name} did not run:\n{output.read()[-4000:]}")
    return read_report(report)


def print_comparison(suite: Suite, comparison: Comparison) -> None:
    """Print one line of figures, and the tests that did not end as expected."""
    failed = len(comparison.known) + len(comparison.unexpected)
    print(f"{suite.name}: {comparison.passed} passed, {failed} failed, {comparison.skipped} skipped")
    for cause in sorted(set(comparison.known.values())):
        print(f"   known, {sum(cause == other for other in comparison.known.values())}: {cause}")
    for test, message in comparison.unexpected.items():
        print(f"   FAILED {test}: {message}")
    for test in comparison.repaired:
        print(f"   passes, so remove it from known_failures.toml: {test}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
