"""The CronJob controller. Source: pkg/controller/cronjob/cronjob_controllerv2.go."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from kube_controllers.admission import is_of_ending_namespace
from kube_controllers.api import Api, Refused
from kube_controllers.contract import Backoff, Notes, Outcome, Wake, subject
from kube_controllers.cron_job.times import MANY, most_recent, next_look
from kube_controllers.job.control import is_finished
from kube_controllers.objects import View
from kube_objects.manifests import (
    Manifest,
    condition,
    conditions,
    controller_reference,
    format_time,
    is_controlled_by,
    is_deleted,
    key,
    kind,
    name,
    namespace,
    number,
    parse_time,
    spec,
    status,
    uid,
)
from kube_objects.sentences import say
from kube_objects.text.cron import Schedule, ScheduleError, parse

COMPONENT = "cronjob-controller"
_OF_SCHEDULE = ("schedule", "timeZone")
SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"


class CronJobActor:
    name = "cronjob"
    kind = "CronJob"
    watches = frozenset({"CronJob", "Job"})
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == self.kind:
            yield Wake(key(obj), _until_next_run(old, new, view.now))
        elif kind(obj) == "Job" and (found := view.controller(self.kind, obj)) is not None:
            yield Wake(key(found))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        run = _Run(obj, Api(view), Notes())
        run.sync()
        return Outcome(run.api.changes, run.notes.first, run.wake_at, run.failed)


def _until_next_run(old: Manifest | None, new: Manifest | None, now: float) -> float:
    """A new schedule begins with its next time: what it would have missed does not count. Source: updateCronJob."""
    if old is None or new is None or all(spec(old).get(field) == spec(new).get(field) for field in _OF_SCHEDULE):
        return 0.0
    try:
        at = next_look(new, now, parse(str(spec(new).get("schedule", "")), spec(new).get("timeZone")))
    except ScheduleError:
        return 0.0
    return 0.0 if at is None else max(at - now, 0.0)


class _Run:
    def __init__(self, cron_job: Manifest, api: Api, notes: Notes) -> None:
        self.cron_job, self.api, self.notes = cron_job, api, notes
        self.now = api.view.now
        self.jobs = api.view.owned(cron_job, "Job")
        self.new = dict(status(cron_job))
        self.active = list(self.new.get("active") or ())
        self.wake_at: float | None = None
        self.failed = False

    def tell(self, type_: str, reason: str, message: str) -> None:
        self.api.tell(self.cron_job, type_, reason, message, COMPONENT)

    def sync(self) -> None:
        self._clean_up()
        self._note_jobs()
        if not is_deleted(self.cron_job):
            schedule = self._schedule()
            if schedule is not None:
                self._start(schedule)
        self.new.pop("active", None)
        if self.active:
            self.new["active"] = self.active
        if self.new != dict(status(self.cron_job)):
            self.api.update_status(self.cron_job, self.new)

    def _is_active(self, job: Manifest) -> bool:
        return any(one.get("uid") == uid(job) for one in self.active)

    def _forget(self, job_uid: str) -> None:
        self.active = [one for one in self.active if one.get("uid") != job_uid]

    def _note_jobs(self) -> None:
        for job in self.jobs:
            if not is_finished(job):
                if not self._is_active(job):
                    message = f"Saw a job that the controller did not create or forgot: {name(job)}"
                    self.tell("Warning", "UnexpectedJob", message)
                continue
            ended = "Complete" if condition(conditions(job), "Complete") else "Failed"
            if self._is_active(job):
                self._forget(uid(job))
                self.tell("Normal", "SawCompletedJob", f"Saw completed job: {name(job)}, condition: {ended}")
            self._note_success(job, ended)
        known = {uid(job) for job in self.jobs}
        for one in list(self.active):
            if one.get("uid") not in known and self.api.get("Job", f"{one['namespace']}/{one['name']}") is None:
                self.tell("Normal", "MissingJob", f"Active job went missing: {one['name']}")
                self._forget(one["uid"])

    def _note_success(self, job: Manifest, ended: str) -> None:
        at, known = parse_time(status(job).get("completionTime")), parse_time(self.new.get("lastSuccessfulTime"))
        if ended == "Complete" and at is not None and (known is None or at > known):
            self.new["lastSuccessfulTime"] = format_time(at)

    def _schedule(self) -> Schedule | None:
        fields = spec(self.cron_job)
        zone = fields.get("timeZone")
        try:
            parse("@daily", zone)
        except ScheduleError:
            self.tell("Warning", "UnknownTimeZone", f'invalid timeZone: "{zone}": unknown time zone {zone}')
            return None
        if fields.get("suspend"):
            return None
        try:
            return parse(str(fields.get("schedule", "")), fields.get("timeZone"))
        except ScheduleError as error:
            message = f'unparseable schedule: "{fields.get("schedule", "")}" : {error}'
            self.tell("Warning", "UnparseableSchedule", message)
            return None

    def _start(self, schedule: Schedule) -> None:
        """Source: syncCronJob, from the schedule on."""
        try:
            missed = most_recent(self.cron_job, self.now, schedule, with_deadline=True)
        except ValueError as error:
            self.tell("Warning", "InvalidSchedule", f"invalid schedule: {spec(self.cron_job)['schedule']} : {error}")
            return
        self.wake_at = next_look(self.cron_job, self.now, schedule)
        at = missed.recent
        if at is None:
            return
        if missed.passed > MANY:
            message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
            self.tell("Warning", "TooManyMissedTimes", message)
        named = f"{name(self.cron_job)}-{int(at) // 60}"
        done = parse_time(status(self.cron_job).get("lastScheduleTime")) == at
        running = any(one["name"] == named for one in self.active)
        if not self._is_too_late(at) and not done and not running and self._makes_room():
            self._create(named, at, schedule)

    def _is_too_late(self, at: float) -> bool:
        deadline = spec(self.cron_job).get("startingDeadlineSeconds")
        if deadline is None or at + float(deadline) >= self.now:
            return False
        when = datetime.fromisoformat(format_time(at)).strftime("%a, %d %b %Y %H:%M:%S +0000")
        self.tell("Warning", "MissSchedule", f"Missed scheduled time to start a job: {when}")
        return True

    def _makes_room(self) -> bool:
        """Whether a job may start beside those that run, or in their place."""
        policy = spec(self.cron_job).get("concurrencyPolicy") or "Allow"
        if policy == "Forbid" and self.active:
            message = "Not starting job because prior execution is running and concurrency policy is Forbid"
            self.tell("Normal", "JobAlreadyActive", message)
            return False
        if policy == "Replace":
            for one in list(self.active):
                job = self.api.get("Job", f"{one['namespace']}/{one['name']}")
                if job is not None:
                    self._delete(job)
        return True

    def _delete(self, job: Manifest) -> None:
        self.api.delete(job)
        self._forget(uid(job))
        self.tell("Normal", "SuccessfulDelete", f"Deleted job {name(job)}")

    def _create(self, named: str, at: float, schedule: Schedule) -> None:
        template = spec(self.cron_job).get("jobTemplate") or {}
        given = template.get("metadata") or {}
        when = datetime.fromtimestamp(int(at), schedule.zone).isoformat()
        about: dict[str, Any] = {
            "name": named,
            "namespace": namespace(self.cron_job),
            "annotations": {**(given.get("annotations") or {}), SCHEDULED_AT: when.replace("+00:00", "Z")},
            "ownerReferences": [controller_reference(self.cron_job)],
        }
        if given.get("labels"):
            about["labels"] = given["labels"]
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": about, "spec": dict(template.get("spec") or {})}
        found = self.api.get("Job", f"{namespace(self.cron_job)}/{named}")
        if found is not None and (not is_controlled_by(found, self.cron_job) or self._is_active(found)):
            return
        if found is None:
            try:
                found = self.api.create(job)
            except Refused as refused:
                self.failed = True
                if not is_of_ending_namespace(refused.message):
                    self.tell("Warning", "FailedCreate", f"Error creating job: {refused.message}")
                return
            self.tell("Normal", "SuccessfulCreate", f"Created job {named}")
            self.notes.add(say("CronJob {name} is due: creates Job {job}", name=name(self.cron_job), job=named))
        reference = {"apiVersion": "batch/v1", "kind": "Job", "name": named}
        self.active.append(reference | {"namespace": namespace(self.cron_job), "uid": uid(found)})
        self.new["lastScheduleTime"] = format_time(at)

    def _clean_up(self) -> None:
        """Source: cleanupFinishedJobs."""
        for type_, field, otherwise in (
            ("Complete", "successfulJobsHistoryLimit", 3),
            ("Failed", "failedJobsHistoryLimit", 1),
        ):
            ended = [job for job in self.jobs if _has_ended(job, type_)]
            limit = number(spec(self.cron_job).get(field), otherwise)
            for job in _by_start(ended)[: max(len(ended) - limit, 0)]:
                self._delete(job)
                self.notes.add(
                    say(
                        "CronJob {name} keeps {limit} ended jobs: {job} goes",
                        name=name(self.cron_job),
                        limit=limit,
                        job=name(job),
                    )
                )


def _has_ended(job: Manifest, type_: str) -> bool:
    found = condition(conditions(job), type_)
    return found is not None and found["status"] == "True"


def _by_start(jobs: Sequence[Manifest]) -> list[Manifest]:
    """Source: byJobStartTime: those that never started last."""
    return sorted(
        jobs, key=lambda job: (not status(job).get("startTime"), status(job).get("startTime") or "", name(job))
    )
