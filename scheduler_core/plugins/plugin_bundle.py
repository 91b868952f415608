"""PluginBundle: one in-tree plugin with its explanations and repairs."""

from collections.abc import Sequence
from dataclasses import dataclass

from scheduler_core.edits.question import Rule
from scheduler_core.facts.explainers import Arithmetic, Facts
from scheduler_core.framework.interface import Plugin


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginBundle:
    """One in-tree plugin. `v1_34` and `v1_36` are its classes in these releases, None if it isn't part of one.

    `what` describes it; `docs` is a path in the Kubernetes documentation (`facts.links`). `facts` explains its verdict
    on a node, `arithmetic` its score. `needs` finds edits that lift its rejection; `edits` are their kinds
    (`edits.costs`), None for a plugin that rejects nothing.
    """

    v1_34: type[Plugin] | None
    v1_36: type[Plugin] | None
    what: str
    docs: str
    facts: Facts | None = None
    arithmetic: Arithmetic | None = None
    needs: Rule | None = None
    edits: Sequence[str] | None = None

    @property
    def name(self) -> str:
        plugin = self.v1_34 or self.v1_36
        assert plugin is not None
        return plugin.name
