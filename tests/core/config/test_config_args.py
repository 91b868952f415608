"""The args of a plugin: its file says their type, what is checked, and what every field is for."""

from typing import Any

import pytest

from scheduler_core.config.args.raw import RawArgs
from scheduler_core.config.args.rules import ArgsRules
from scheduler_core.config.core import LabelSelector, LabelSelectorRequirement
from scheduler_core.config.errors import BuildError
from scheduler_core.config.fields import GoType, wire_fields
from scheduler_core.plugins.table import IN_TREE, IN_TREE_1_36
from scheduler_core.releases import ARGS, ARGS_1_36

RELEASES = [("v1.34", ARGS, IN_TREE), ("v1.36", ARGS_1_36, IN_TREE_1_36)]
ALL = [(f"{release} {plugin}", rules) for release, args, _ in RELEASES for plugin, rules in args.items()]


@pytest.mark.parametrize(("release", "args", "registry"), RELEASES, ids=[release for release, *_ in RELEASES])
def test_only_plugins_of_the_release_have_args(release: str, args: Any, registry: Any) -> None:
    assert set(args) <= set(registry)


@pytest.mark.parametrize(("name", "rules"), ALL, ids=[name for name, _ in ALL])
def test_the_defaults_do_and_anything_else_is_refused_by_name(name: str, rules: ArgsRules) -> None:
    rules.build(rules.struct())
    for args, go_type in ((None, "<nil>"), (RawArgs("{}"), "*runtime.Unknown")):
        with pytest.raises(BuildError) as refused:
            rules.build(args)
        assert str(refused.value) == rules.wrong_type.format(go_type)


def structs(kind: GoType) -> set[type[Any]]:
    """The dataclasses that a field's type is made of."""
    inner = kind.struct or (kind.element.struct if kind.element else None)
    if inner is None:
        return set()
    return {inner}.union(*(structs(field.type) for field in wire_fields(inner)))


@pytest.mark.parametrize(("name", "rules"), ALL, ids=[name for name, _ in ALL])
def test_every_field_has_its_words_in_the_plugins_own_file(name: str, rules: ArgsRules) -> None:
    within = {rules.struct}.union(*(structs(field.type) for field in wire_fields(rules.struct)))
    assert within - set(rules.help) <= {LabelSelector, LabelSelectorRequirement}, "these may not be written"
    for struct in within & set(rules.help):
        assert {field.json for field in wire_fields(struct)} == set(rules.help[struct])
