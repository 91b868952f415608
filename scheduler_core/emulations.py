"""The emulated versions of kube-scheduler, and a preset for an older one.

To add a version: docs/contributing/add-a-version.md.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from scheduler_core.config import ConfigRules, default_configuration, export_yaml, load
from scheduler_core.config.rules import Points
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.traits import V1_34_TRAITS, V1_36_TRAITS, Traits
from scheduler_core.gates import GateError, check_gates, gates_text, parse_gates
from scheduler_core.gates.effects import apply_gates
from scheduler_core.plugins.table import IN_TREE, IN_TREE_1_36
from scheduler_core.releases import V1_34, V1_36


def _emulation_of_v1_config(version: str, registry: Registry, traits: Traits, rules: ConfigRules) -> Emulation:
    """Return an emulation of a version that reads KubeSchedulerConfiguration v1."""

    def read(text: str | None, points: Points) -> SchedulerConfiguration:
        return default_configuration(rules) if text is None else load(text, points, rules=rules)

    return Emulation(version, registry, read, traits, export_yaml(default_configuration(rules)), rules)


V1_34_1 = _emulation_of_v1_config("v1.34.1", IN_TREE, V1_34_TRAITS, V1_34)
V1_36_3 = _emulation_of_v1_config("v1.36.3", IN_TREE_1_36, V1_36_TRAITS, V1_36)


def _v1_20_2() -> Emulation:
    from scheduler_core.legacy.emulation import V1_20_2

    return V1_20_2


def _v1_10_preset() -> Emulation:
    from scheduler_core.legacy.presets import V1_10_PRESET

    return V1_10_PRESET


# Cached emulations with feature gates; one more drops all of them.
_MAX_GATED = 256


class _Emulations(Mapping[str, Emulation]):
    """Emulations by version, and by version with feature gates: `v1.36.3 GangScheduling=true,GenericWorkload=true`.

    Iteration yields only the versions. An emulation is loaded on first use.
    """

    def __init__(self, loaders: Mapping[str, Callable[[], Emulation]]) -> None:
        self._loaders = loaders
        self._gated: dict[str, Emulation] = {}

    def __getitem__(self, named: str) -> Emulation:
        version, _, gate_text = named.partition(" ")
        plain = self._loaders[version]()
        if not gate_text:
            return plain
        emulation = self._gated.get(named)
        if emulation is None:
            try:
                gates = check_gates(version, parse_gates(gate_text))
            except GateError as error:
                raise KeyError(named) from error
            if len(self._gated) >= _MAX_GATED:
                self._gated.clear()
            emulation = self._gated[named] = _gated(plain, gates)
        return emulation

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaders)

    def __len__(self) -> int:
        return len(self._loaders)


def _gated(plain: Emulation, gates: Mapping[str, bool]) -> Emulation:
    if not gates:
        return plain
    assert plain.rules is not None  # older versions have no gates here
    traits, rules, registry = apply_gates(plain.version, gates, plain.traits, plain.rules, plain.registry)
    version = f"{plain.version} {gates_text(gates)}"
    return replace(_emulation_of_v1_config(version, registry, traits, rules), gates=gates)


EMULATIONS: Mapping[str, Emulation] = _Emulations(
    {
        V1_34_1.version: lambda: V1_34_1,
        V1_36_3.version: lambda: V1_36_3,
        "v1.20.2": _v1_20_2,
        "v1.10-preset": _v1_10_preset,
    }
)


def plain_version(named: str) -> str:
    """Return the version without gates: `v1.36.3 GangScheduling=true` → `v1.36.3`."""
    return named.partition(" ")[0]


def emulation_of(version: str, gates: Mapping[str, bool]) -> Emulation:
    """Return a version with feature gates set. Raises GateError (`scheduler_core.gates`) with upstream's message."""
    plain = EMULATIONS[plain_version(version)]
    set_gates = check_gates(plain.version, {**plain.gates, **gates})
    return EMULATIONS[f"{plain.version} {gates_text(set_gates)}" if set_gates else plain.version]


# The version of new clusters and of commands without a version; it follows Kubernetes.
DEFAULT = V1_36_3

# The version of data that names none: scenarios, traces, checkpoints, lessons, configurations, calls of the library.
# Such data dates from when this was the only version, so it never changes.
ORIGINAL_VERSION = V1_34_1
