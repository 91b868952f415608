"""CronJob."""

from functools import partial

from kube_objects import read
from kube_objects.kinds.apps import template
from kube_objects.kinds.batch import job
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from kube_objects.kinds.kind import Kind, parse_as_is
from kube_objects.kinds.rules import MappingRule, choice, natural
from kube_objects.meta import KubeObject
from kube_objects.read import Manifest, Problems
from kube_objects.text import cron
from kube_objects.text.problems import Problem


def _schedule(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    text = read.required_text(parent, key, path, problems)
    if text:
        try:
            cron.parse(text)
        except cron.ScheduleError as error:
            problems.append(Problem(read.child(path, key), text, str(error)))


def _zone(parent: Manifest, key: str, path: str, problems: Problems) -> None:
    text = read.text(parent, key, path, problems)
    if text:
        try:
            cron.parse("@daily", text)
        except cron.ScheduleError as error:
            problems.append(Problem(read.child(path, key), text, str(error)))


_JOB = ("spec", "jobTemplate", "spec")
_SPEC = MappingRule(
    {
        "schedule": _schedule,
        "timeZone": _zone,
        "concurrencyPolicy": choice("Allow", "Forbid", "Replace"),
        "suspend": read.boolean,
        "startingDeadlineSeconds": natural,
        "successfulJobsHistoryLimit": natural,
        "failedJobsHistoryLimit": natural,
        "jobTemplate": MappingRule(
            {"metadata": MappingRule({"labels": read.text_map, "annotations": read.text_map}), "spec": job.SPEC}
        ),
    }
)


def check(manifest: Manifest, problems: Problems) -> None:
    spec = read.mapping(manifest, "spec", "", problems) or {}
    _SPEC.check(spec, "spec", problems)
    inside = read.mapping(read.mapping(spec, "jobTemplate", "spec", []) or {}, "spec", "", [])
    if inside is None:
        read.required_text({}, "spec", "spec.jobTemplate", problems)
    else:
        job.is_complete(inside, "spec.jobTemplate.spec", problems)


KIND = Kind(
    name="CronJob",
    group="batch",
    type=KubeObject,
    parse=partial(parse_as_is, "CronJob"),
    check=check,
    fields={"spec": _SPEC.fields},
    example=f"""\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: nightly
  namespace: default
spec:
  schedule: 0 3 * * *
  jobTemplate:
    spec:
{job.indented(job.TEMPLATE, 6)}""",
    form=(
        IDENTITY_IN_NAMESPACE,
        Section(
            "When",
            (
                Input("schedule", ("spec", "schedule"), hint="*/15 8-18 * * mon-fri"),
                Input("time zone", ("spec", "timeZone"), hint="Europe/Berlin"),
                Input("while one still runs", ("spec", "concurrencyPolicy"), "choice"),
                Input("too late after (seconds)", ("spec", "startingDeadlineSeconds"), "number"),
                Input("suspended", ("spec", "suspend"), "check"),
                Input("complete jobs kept", ("spec", "successfulJobsHistoryLimit"), "number", "3"),
                Input("failed jobs kept", ("spec", "failedJobsHistoryLimit"), "number", "1"),
            ),
        ),
        job.section(_JOB),
        *template.form((*_JOB, "template"), ends=True),
    ),
)
