"""The registries of in-tree plugins agree with what configurations are checked against."""

import pytest

from scheduler_core.emulations import EMULATIONS
from scheduler_core.framework.emulation import Emulation


@pytest.mark.parametrize(
    "emulation", [each for each in EMULATIONS.values() if each.rules], ids=lambda each: each.version
)
def test_every_plugin_implements_the_points_that_configurations_may_name(emulation: Emulation) -> None:
    assert emulation.rules is not None
    assert dict(emulation.registry.points()) == dict(emulation.rules.points)
