"""`make clients`: run the test suites that the authors of Kubernetes clients publish, against a playground.

    python -m tests.clients.suites [NAME …] [--sources FOLDER]

Clones each suite at a pinned commit, or takes the clone of that name in FOLDER, and installs the pinned clients into an
environment of their own. Prints a table and each failure that `known_failures.toml` doesn't explain. Exits with 1 when
there is one, or when a known failure passes.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from tests.clients.suites.catalog import SUITES, Suite, read_known_failures
from tests.clients.suites.outcomes import Comparison, compare, read_report
from tests.kubectl import programs
from tests.kubectl.__main__ import CONTROLLERS
from tests.resilience.client import Client
from tests.services import run_playground, wait_for

HERE = Path(__file__).parent
ENVIRONMENT = Path(sys.prefix) / "clients"
SECONDS_PER_TEST = 60
SECONDS_PER_SUITE = 1800

KUBECONFIG = """apiVersion: v1
kind: Config
clusters: [{{name: playground, cluster: {{server: "{server}"}}}}]
users: [{{name: kubernetes-admin, user: {{token: "{token}"}}}}]
contexts: [{{name: playground, context: {{cluster: playground, user: kubernetes-admin}}}}]
current-context: playground
"""

NODE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "kind-control-plane",
        "labels": {
            "kubernetes.io/hostname": "kind-control-plane",
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64",
        },
    },
    "spec": {"podCIDR": "10.244.0.0/24"},
    "status": {
        "capacity": {"cpu": "8", "memory": "16Gi", "pods": "110"},
        "allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"},
        "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
        "addresses": [{"type": "InternalIP", "address": "172.18.0.2"}],
        "nodeInfo": {
            "architecture": "amd64",
            "bootID": "00000000-0000-0000-0000-000000000001",
            "containerRuntimeVersion": "containerd://2.2.0",
            "kernelVersion": "6.12.0",
            "kubeProxyVersion": "",
            "kubeletVersion": "v1.36.3",
            "machineID": "00000000000000000000000000000001",
            "operatingSystem": "linux",
            "osImage": "Debian GNU/Linux 12 (bookworm)",
            "systemUUID": "00000000-0000-0000-0000-000000000001",
        },
    },
}
# A new kind cluster runs Pods in kube-system, and some suites list them.
COREDNS: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "coredns", "namespace": "kube-system"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"k8s-app": "kube-dns"}},
        "template": {
            "metadata": {"labels": {"k8s-app": "kube-dns"}},
            "spec": {"containers": [{"name": "coredns", "image": "coredns"}]},
        },
    },
}


def main() -> int:
    """Run the suites that the command line names, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.clients.suites", description=__doc__.splitlines()[0])
    names = [suite.name for suite in SUITES]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"suites to run: {', '.join(names)}")
    parser.add_argument("--sources", type=Path, help="a folder with clones, named like the suites")
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
            work = Path(folder) / suite.name
            clone = take_clone(suite, arguments.sources, work)
            kubeconfig = create_cluster(client, suite, playground.url, work)
            comparison = run_suite(suite, python, clone, kubeconfig, work, known_failures.get(suite.name, {}))
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
    for command in (
        ["init", "--quiet"],
        ["fetch", "--quiet", "--depth", "1", suite.repository, suite.commit],
        ["checkout", "--quiet", "FETCH_HEAD"],
    ):
        if subprocess.run(["git", *command], cwd=clone, check=False).returncode:
            sys.exit(f"{suite.repository} could not be cloned; name a folder with clones: --sources FOLDER")
    return clone


def create_cluster(client: Client, suite: Suite, url: str, work: Path) -> Path:
    """Create a live cluster as a new kind cluster is, and return the path of a kubeconfig for it."""
    number = client.post("clusters/", {"name": suite.name, "seed": 1})["id"]
    client.post(f"clusters/{number}/commands/", {"kind": "create", "objects": [NODE]})
    client.post(f"clusters/{number}/commands/", {"kind": "set_actors", "actors": CONTROLLERS, "hashes": "upstream"})
    client.post(f"clusters/{number}/commands/", {"kind": "create", "objects": [COREDNS]})
    client.post(f"clusters/{number}/pace/", {"live": True})
    wait_for(lambda: client.get(f"clusters/{number}/")["state"] == "idle", "the cluster to be idle")
    document = yaml.safe_load(client.post(f"clusters/{number}/tokens/", {"role": "admin"})["kubeconfig"])
    token = document["users"][0]["user"]["token"]
    kubeconfig = work / "kubeconfig"
    kubeconfig.write_text(KUBECONFIG.format(server=f"{url}/k8s/{number}", token=token))
    return kubeconfig


def run_suite(
    suite: Suite, python: Path, clone: Path, kubeconfig: Path, work: Path, known_failures: dict[str, str]
) -> Comparison:
    """Run a suite with pytest and compare its outcomes with the failures that are known."""
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
    return compare(read_report(report), known_failures)


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
