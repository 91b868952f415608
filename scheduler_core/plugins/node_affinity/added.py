"""NodeAffinity's addedAffinity arg, in the form of the pods' own affinity."""

from kube_objects.affinity import NodeAffinity as Affinity
from kube_objects.selectors import NodeSelector, NodeSelectorTerm, PreferredSchedulingTerm, Requirement
from scheduler_core.config import core


def compile_affinity(affinity: core.V1NodeAffinity) -> Affinity:
    """Return the arg's affinity as the parser of pods would return it."""
    required = affinity.required
    return Affinity(
        NodeSelector(tuple(map(_term, required.node_selector_terms or ()))) if required is not None else None,
        tuple(
            PreferredSchedulingTerm(preferred.weight, _term(preferred.preference)) for preferred in affinity.preferred
        ),
    )


def _term(term: core.NodeSelectorTerm) -> NodeSelectorTerm:
    return NodeSelectorTerm(
        tuple(map(_requirement, term.match_expressions)), tuple(map(_requirement, term.match_fields))
    )


def _requirement(requirement: core.NodeSelectorRequirement) -> Requirement:
    return Requirement(requirement.key, requirement.operator, requirement.values or ())
