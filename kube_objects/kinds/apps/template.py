"""Pod templates: what is read of them, and their part of a form, which is that of a pod."""

from dataclasses import replace

from kube_objects.kinds.core import pod
from kube_objects.kinds.form import Input, Path, Section
from kube_objects.kinds.rules import PodTemplateRule

POD_SPEC = pod.KIND.fields["spec"] or {}
OF_SERVICES = PodTemplateRule(POD_SPEC)
OF_JOBS = PodTemplateRule(POD_SPEC, ("Never", "OnFailure"))

AT: Path = ("spec", "template")
# How long things take is said by annotations that the kubelet of this playground reads.
_PREFIX = "playground.kube-scheduler/"
# What its controller, or the scheduler itself, says of each pod.
_NOT_OF_TEMPLATES = ("priority", "gates")


def form(at: Path = AT, *, ends: bool = False) -> tuple[Section, ...]:
    """Return the form of a Pod template at the path `at`. `ends`: its Pods run to completion."""
    container, annotations = (*at, "spec", "containers", 0), (*at, "metadata", "annotations")
    policy = (Input("restart policy", (*at, "spec", "restartPolicy"), "choice"),) if ends else ()
    runs = (
        (Input("runs for (seconds)", (*annotations, f"{_PREFIX}run-seconds"), hint="30, 10..20, ~300"),) if ends else ()
    )
    pods = Section(
        "Its pods",
        (
            Input("pods' labels", (*at, "metadata", "labels"), "map"),
            Input("image", (*container, "image"), hint="registry.example/web:1.0"),
            *policy,
            Input("starts within (seconds)", (*annotations, f"{_PREFIX}start-seconds"), hint="2"),
            *runs,
        ),
    )
    return pods, *(_moved(section, at) for section in pod.FORM[1:])


def _moved(section: Section, at: Path) -> Section:
    fields = [
        replace(field, path=(*at, *field.path))
        for field in section.fields
        if field.path[0] == "spec" and field.label not in _NOT_OF_TEMPLATES
    ]
    return Section(section.title, fields)
