"""Repairs for NodeDeclaredFeatures: remove the pod's use of features that the node doesn't declare."""

from typing import Any

from kube_objects.sentences import Template
from scheduler_core.edits.edit import Change, Edit, set_value
from scheduler_core.edits.object_edits import require_node
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.question import Need, Question

WITHOUT = Template("Do without the kubelet's feature {feature}")


def needs(question: Question) -> list[Need]:
    """Return a need per missing feature. Edits can't change a kubelet, only the pod."""
    node = require_node(question)
    lacking = sorted(question.pod.required_features - frozenset(node.declared_features))
    return [question.need(_remove_feature_use(question, feature), about=feature) for feature in lacking]


def _remove_feature_use(question: Question, feature: str) -> Edit | None:
    field_and_change = REMOVE.get(feature)
    if field_and_change is None:
        return None
    path, change = field_and_change
    return make_pod_edit(
        question, "drop_feature", path, WITHOUT(feature=feature), change, before=feature, detail=feature
    )


def _remove_restart_rules(manifest: dict[str, Any]) -> None:
    """Remove the containers' rules that restart all containers."""
    for part in ("containers", "initContainers"):
        for container in manifest["spec"].get(part) or ():
            rules = container.get("restartPolicyRules") or []
            others = [rule for rule in rules if rule.get("action") != "RestartAllContainers"]
            if len(others) < len(rules):
                set_value("restartPolicyRules", value=others or None)(container)


# Feature → the field that requires it, and the change that removes the field. Source (v1.36):
# component-helpers/nodedeclaredfeatures.
REMOVE: dict[str, tuple[str, Change]] = {
    "UserNamespacesHostNetworkSupport": ("spec.hostUsers", set_value("spec", "hostUsers", value=None)),
    "RestartAllContainersOnContainerExits": ("spec.containers.restartPolicyRules", _remove_restart_rules),
}
