"""Parts: one of kube-scheduler's own plugins, with all that belongs to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from scheduler_core.edits.question import Rule
from scheduler_core.facts.explainers import Arithmetic, Facts
from scheduler_core.framework.interface import Plugin


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """`v1_34` and `v1_36`: its class in each release, None where there is none.

    `what` says what it does, `docs` where Kubernetes' documentation does (`facts.links`). `facts`: what its filter
    looked at on a node; `arithmetic`: how it came to a score. `needs`: what would mend its rejection; `edits`: the
    kinds of edits (`edits.costs`) that this may take, None for a plugin that rejects nothing.
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
