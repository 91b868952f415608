"""A small cluster, and a rerun of the attempt of its Pod `new`."""

from typing import Any

from simulator.explain.rerun import Rerun, rerun
from simulator.simulation import Simulation
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod

HEADER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def node(name: str) -> NodeBuilder:
    return make_node(name).cpu("4").memory("8Gi")


def new_pod() -> PodBuilder:
    return make_pod("new").label("app", "web")


def attempt(*objects: Any, config: str | None = None) -> Rerun:
    """Rerun the attempt.

    Objects are builders or manifests; `config` is the part of the configuration below its header.
    """
    simulation = Simulation.create(config=None if config is None else HEADER + config)
    manifests = [dict(given if isinstance(given, dict) else given.manifest()) for given in objects]
    list(simulation.apply({"kind": "create", "objects": manifests}))
    return rerun(simulation, "default/new")


def fit_args(strategy: str) -> str:
    """Return a configuration with these args of NodeResourcesFit's scoring strategy."""
    return f"profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: {{scoringStrategy: {strategy}}}\n"
