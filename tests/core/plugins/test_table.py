"""The registry of in-tree plugins agrees with what configurations are checked against."""

from scheduler_core.config.intree import IN_TREE_POINTS
from scheduler_core.plugins.table import IN_TREE


def test_every_plugin_implements_the_points_that_configurations_may_name() -> None:
    assert dict(IN_TREE.points()) == dict(IN_TREE_POINTS)
