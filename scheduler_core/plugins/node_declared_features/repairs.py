"""NodeDeclaredFeatures: do without what the node's kubelet does not have."""

from typing import Any

from kube_objects.sentences import Template
from scheduler_core.edits.edit import Change, Edit, put
from scheduler_core.edits.other_edits import nodes_own
from scheduler_core.edits.pod_edits import pod_edit
from scheduler_core.edits.question import Need, Question

WITHOUT = Template("Do without the kubelet's feature {feature}")


def needs(question: Question) -> list[Need]:
    """What a kubelet can do is not changed by an edit: the pod's need of it is."""
    node = nodes_own(question)
    lacking = sorted(question.pod.required_features - frozenset(node.declared_features))
    return [question.need(_without(question, feature), about=feature) for feature in lacking]


def _without(question: Question, feature: str) -> Edit | None:
    found = REMOVE.get(feature)
    if found is None:
        return None
    path, change = found
    return pod_edit(question, "drop_feature", path, WITHOUT(feature=feature), change, before=feature, detail=feature)


def _without_rules(manifest: dict[str, Any]) -> None:
    """The rules of containers by which all of them are restarted go."""
    for part in ("containers", "initContainers"):
        for container in manifest["spec"].get(part) or ():
            rules = container.get("restartPolicyRules") or []
            others = [rule for rule in rules if rule.get("action") != "RestartAllContainers"]
            if len(others) < len(rules):
                put("restartPolicyRules", value=others or None)(container)


# Feature → the field that asks for it, and the change that no longer does. Source (v1.36): component-helpers/
# nodedeclaredfeatures.
REMOVE: dict[str, tuple[str, Change]] = {
    "UserNamespacesHostNetworkSupport": ("spec.hostUsers", put("spec", "hostUsers", value=None)),
    "RestartAllContainersOnContainerExits": ("spec.containers.restartPolicyRules", _without_rules),
}
