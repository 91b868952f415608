"""Edits of the pod itself. Of a pod that is there an API server lets little be changed: then its owner is named."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from scheduler_core.edits.edit import Change, Edit, Ref, add_item, changed, detail_of, part, thawed
from scheduler_core.edits.json_patch import difference
from scheduler_core.edits.question import Question
from scheduler_core.framework.handle import Lister
from scheduler_core.objects.meta import KubeObject
from scheduler_core.objects.pod import Pod
from scheduler_core.objects.pod_update import refusals
from scheduler_core.objects.serialize import manifest_of
from scheduler_core.objects.taints import Taint
from scheduler_core.sentences import Data, Template
from scheduler_core.text.problems import ObjectError

TOLERATE = Template("Tolerate {taint}")
OWNER = Template("A pod's {field} cannot be changed: its {owner} is, which makes the pod anew")
ALONE = Template("A pod's {field} cannot be changed: the pod is deleted and created again")
# Kinds whose template may be changed, and whose pods are then made anew.
_ROLLED_OUT = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "CronJob")


def pod_edit(
    question: Question,
    kind: str,
    path: str,
    sentence: Data,
    change: Change,
    *,
    detail: Any = "",
    before: Any = None,
    after: Any = None,
    shape: str = "",
    tie: float = 0.0,
    times: float = 1.0,
) -> Edit | None:
    """None if such edits may not be made. The cost in the table is taken `times` (at least 1)."""
    cost, pod = question.prices.of(kind), question.pod
    if cost is None:
        return None
    cost = round(cost * times)
    shown = detail_of(detail if detail != "" else after)
    typed = Typed(pod, question.lister, change, path)
    shape = shape or f"{kind} {path} {shown}"
    of = Ref.to(pod)
    return Edit(kind, of, path, shown, cost, sentence, typed.line, before, after, shape, tie, change, note=typed.note)


@dataclass(slots=True)
class Typed:
    """What one types for a change of the pod, and what there is to say of it; found out when it is asked for."""

    pod: Pod
    lister: Lister
    change: Change
    path: str

    def line(self) -> str:
        return self._sentence()[0]

    def note(self) -> Data | None:
        return self._sentence()[1]

    def _sentence(self) -> tuple[str, Data | None]:
        old, new = manifest_of(self.pod), changed(self.pod, [self.change])
        if not refusals(old, new):
            return _allowed(self.pod, old, new)
        return _not_allowed(self.pod, self.lister, self.change, old, new, self.path)


def tolerate(question: Question, taint: Taint) -> Edit | None:
    toleration = {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
    if not taint.value:
        toleration = {"key": taint.key, "operator": "Exists", "effect": taint.effect}
    change = add_item("spec", "tolerations", item=toleration)
    sentence = TOLERATE(taint=str(taint))
    return pod_edit(question, "tolerate", "spec.tolerations[]", sentence, change, after=toleration)


def _allowed(pod: Pod, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, None]:
    return f"kubectl{_in(pod)} patch pod {pod.name} --type json -p {quoted(difference(old, new))}", None


def _not_allowed(
    pod: Pod, lister: Lister, change: Change, old: Mapping[str, Any], new: Mapping[str, Any], path: str
) -> tuple[str, Data]:
    field = path.removesuffix("[]")
    owner = owner_of(pod, lister)
    if owner is not None and owner[0] in _ROLLED_OUT:
        kind, name, found = owner
        head = "/spec/jobTemplate/spec/template" if kind == "CronJob" else "/spec/template"
        operations = difference(old, new)
        template = None if found is None else part(manifest_of(found), tuple(head.strip("/").split("/")))
        if template is not None:
            before, after = _as_pod(template, pod), _as_pod(template, pod)
            try:
                change(after)
                operations = difference(before, after) or operations
            except (KeyError, IndexError, TypeError, ObjectError):
                pass  # the template is not as the pod is: what was made of it says what to change
        patch = [{**operation, "path": head + operation["path"]} for operation in operations]
        text = f"kubectl{_in(pod)} patch {kind.lower()} {name} --type json -p {quoted(patch)}"
        return text, OWNER(field=field, owner=f"{kind} {name}")
    subject = f"{owner[0].lower()} {owner[1]}" if owner is not None and owner[0] == "Job" else f"pod {pod.name}"
    patch = difference(old, new)
    if owner is not None and owner[0] == "Job":
        patch = [{**operation, "path": f"/spec/template{operation['path']}"} for operation in patch]
    local = f"kubectl patch --local -f - --type json -p {quoted(patch)} -o yaml"
    text = f"kubectl{_in(pod)} get {subject} -o yaml | {local} | kubectl replace --force -f -"
    return text, ALONE(field=field)


def with_template(pod: Pod, lister: "Finder", changes: Iterable[Change]) -> tuple[KubeObject, dict[str, Any]] | None:
    """The owner that is patched for such changes of its pod, and what it is then; None where there is none to patch."""
    owner = owner_of(pod, lister)
    if owner is None or owner[0] not in _ROLLED_OUT or owner[2] is None:
        return None
    patched: dict[str, Any] = thawed(manifest_of(owner[2]))
    try:
        holder = patched["spec"]["jobTemplate"]["spec"] if owner[0] == "CronJob" else patched["spec"]
        template = holder["template"]
        made = _as_pod(template, pod)
        for change in changes:
            change(made)
    except (KeyError, IndexError, TypeError, ObjectError):
        return None  # the template is not as the pod is
    labels = {name: value for name, value in made["metadata"].items() if name != "name"}
    holder["template"] = {**template, **({"metadata": labels} if labels else {}), "spec": made["spec"]}
    return owner[2], patched


def _as_pod(template: Mapping[str, Any], pod: Pod) -> dict[str, Any]:
    """What the template makes: changes of pods read whole ones, which say their kind and name."""
    made: dict[str, Any] = thawed(template)
    made |= {"apiVersion": "v1", "kind": "Pod", "metadata": {**(made.get("metadata") or {}), "name": pod.name}}
    return made


class Finder(Protocol):
    """A Lister is one."""

    def get(self, kind: str, key: str) -> Any | None: ...


def owner_of(pod: Pod, lister: Finder) -> tuple[str, str, KubeObject | None] | None:
    """Kind and name of what has the pod's template, and the object if it is there: not a ReplicaSet, its Deployment."""
    controller = pod.controller
    if controller is None:
        return None
    found: KubeObject | None = lister.get(controller.kind, f"{pod.namespace}/{controller.name}")
    above = None if found is None else found.controller
    if above is not None:
        return above.kind, above.name, lister.get(above.kind, f"{pod.namespace}/{above.name}")
    digest = pod.labels.get("pod-template-hash")
    if controller.kind == "ReplicaSet" and digest and controller.name.endswith(f"-{digest}"):
        name = controller.name.removesuffix(f"-{digest}")
        return "Deployment", name, lister.get("Deployment", f"{pod.namespace}/{name}")
    return controller.kind, controller.name, found


def _in(pod: Pod) -> str:
    return f" -n {pod.namespace}"


def quoted(value: Any) -> str:
    """As JSON, for a shell."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return "'" + text.replace("'", "'\\''") + "'"
