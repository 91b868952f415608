"""Job."""

from functools import partial

from kube_objects import field_errors, read
from kube_objects.kinds.apps import template
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Path, Section
from kube_objects.kinds.kind import Kind, parse_as_is
from kube_objects.kinds.rules import MappingRule, anything, choice, natural, optional_selector
from kube_objects.meta import KubeObject
from kube_objects.read import Manifest, Problems

SPEC = MappingRule(
    {
        "parallelism": natural,
        "completions": natural,
        "completionMode": choice("Indexed", "NonIndexed"),
        "backoffLimit": natural,
        "backoffLimitPerIndex": natural,
        "maxFailedIndexes": natural,
        "activeDeadlineSeconds": natural,
        "ttlSecondsAfterFinished": natural,
        "suspend": read.boolean,
        "podReplacementPolicy": choice("Failed", "TerminatingOrFailed"),
        "podFailurePolicy": anything,
        "successPolicy": anything,
        "managedBy": read.text,
        "manualSelector": read.boolean,
        "selector": optional_selector,
        "template": template.OF_JOBS,
    }
)
TEMPLATE = """\
template:
  metadata:
    annotations:
      playground.kube-scheduler/run-seconds: "60"
  spec:
    restartPolicy: Never
    containers:
      - name: main
        image: registry.example/work:1.0
        resources:
          requests:
            cpu: "1"
            memory: 512Mi
"""


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def is_complete(spec: Manifest, path: str, problems: Problems) -> None:
    """Source: ValidateJobSpec."""
    if spec.get("completionMode") == "Indexed" and spec.get("completions") is None:
        problems.append(field_errors.required(f"{path}.completions"))


def section(at: Path) -> Section:
    return Section(
        "Work",
        (
            Input("at once", (*at, "parallelism"), "number", "1"),
            Input("in all", (*at, "completions"), "number", "1"),
            Input("completion mode", (*at, "completionMode"), "choice"),
            Input("failures allowed", (*at, "backoffLimit"), "number", "6"),
            Input("failures allowed for each index", (*at, "backoffLimitPerIndex"), "number"),
            Input("at most (seconds)", (*at, "activeDeadlineSeconds"), "number"),
            Input("deleted when ended for (seconds)", (*at, "ttlSecondsAfterFinished"), "number"),
            Input("suspended", (*at, "suspend"), "check"),
        ),
    )


def check(manifest: Manifest, problems: Problems) -> None:
    spec = read.mapping(manifest, "spec", "", problems) or {}
    SPEC.check(spec, "spec", problems)
    is_complete(spec, "spec", problems)


KIND = Kind(
    name="Job",
    group="batch",
    type=KubeObject,
    parse=partial(parse_as_is, "Job"),
    check=check,
    fields={"spec": SPEC.fields},
    example=f"""\
apiVersion: batch/v1
kind: Job
metadata:
  name: work
  namespace: default
spec:
  parallelism: 2
  completions: 6
{indented(TEMPLATE, 2)}""",
    form=(IDENTITY_IN_NAMESPACE, section(("spec",)), *template.form(ends=True)),
)
