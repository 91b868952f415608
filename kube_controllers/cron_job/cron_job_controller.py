"""The CronJob controller. Source: pkg/controller/cronjob/cronjob_controllerv2.go."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from kube_apiserver.admission.namespace_lifecycle import is_namespace_terminating
from kube_controllers.api import Api, WriteRefused
from kube_controllers.contract import Backoff, Notes, Outcome, ReconcileRequest, latest_version
from kube_controllers.cron_job.schedule_times import MANY, most_recent_schedule_time, next_check
from kube_controllers.job.job_sync import is_finished
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


class CronJobController:
    name = "cronjob"
    kind = "CronJob"
    watches = frozenset({"CronJob", "Job"})
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        if kind(obj) == self.kind:
            yield ReconcileRequest(key(obj), _until_next_run(old, new, view.now))
        elif kind(obj) == "Job" and (owner := view.controller(self.kind, obj)) is not None:
            yield ReconcileRequest(key(owner))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        run = _CronJobSync(obj, Api(view), Notes())
        run.sync()
        return Outcome(run.api.changes, run.notes.first, run.requeue_at, run.failed)


def _until_next_run(old: Manifest | None, new: Manifest | None, now: float) -> float:
    """Return the seconds until the next run of a changed schedule; runs that it would have missed don't count.

    Source: updateCronJob.
    """
    if old is None or new is None or all(spec(old).get(field) == spec(new).get(field) for field in _OF_SCHEDULE):
        return 0.0
    try:
        next_run = next_check(new, now, parse(str(spec(new).get("schedule", "")), spec(new).get("timeZone")))
    except ScheduleError:
        return 0.0
    return 0.0 if next_run is None else max(next_run - now, 0.0)


class _CronJobSync:
    """One reconcile of a CronJob."""

    def __init__(self, cron_job: Manifest, api: Api, notes: Notes) -> None:
        self.cron_job, self.api, self.notes = cron_job, api, notes
        self.now = api.view.now
        self.jobs = api.view.owned(cron_job, "Job")
        self.new = dict(status(cron_job))
        self.active = list(self.new.get("active") or ())
        self.requeue_at: float | None = None
        self.failed = False

    def emit_event(self, type_: str, reason: str, message: str) -> None:
        self.api.emit_event(self.cron_job, type_, reason, message, COMPONENT)

    def sync(self) -> None:
        """Reconcile the CronJob.

        1. Delete finished Jobs beyond the history limits.
        2. Update the list of active Jobs.
        3. Create the Job of the latest scheduled time that has passed.
        4. Write the status.
        """
        self._clean_up()
        self._update_active_jobs()
        if not is_deleted(self.cron_job):
            schedule = self._parse_schedule()
            if schedule is not None:
                self._start_due_job(schedule)
        self.new.pop("active", None)
        if self.active:
            self.new["active"] = self.active
        if self.new != dict(status(self.cron_job)):
            self.api.update_status(self.cron_job, self.new)

    def _is_active(self, job: Manifest) -> bool:
        return any(reference.get("uid") == uid(job) for reference in self.active)

    def _drop_active(self, job_uid: str) -> None:
        self.active = [reference for reference in self.active if reference.get("uid") != job_uid]

    def _update_active_jobs(self) -> None:
        for job in self.jobs:
            if not is_finished(job):
                if not self._is_active(job):
                    message = f"Saw a job that the controller did not create or forgot: {name(job)}"
                    self.emit_event("Warning", "UnexpectedJob", message)
                continue
            ended = "Complete" if condition(conditions(job), "Complete") else "Failed"
            if self._is_active(job):
                self._drop_active(uid(job))
                self.emit_event("Normal", "SawCompletedJob", f"Saw completed job: {name(job)}, condition: {ended}")
            self._update_last_success(job, ended)
        known = {uid(job) for job in self.jobs}
        for reference in list(self.active):
            if (
                reference.get("uid") not in known
                and self.api.get("Job", f"{reference['namespace']}/{reference['name']}") is None
            ):
                self.emit_event("Normal", "MissingJob", f"Active job went missing: {reference['name']}")
                self._drop_active(reference["uid"])

    def _update_last_success(self, job: Manifest, ended: str) -> None:
        completed, known = parse_time(status(job).get("completionTime")), parse_time(self.new.get("lastSuccessfulTime"))
        if ended == "Complete" and completed is not None and (known is None or completed > known):
            self.new["lastSuccessfulTime"] = format_time(completed)

    def _parse_schedule(self) -> Schedule | None:
        fields = spec(self.cron_job)
        zone = fields.get("timeZone")
        try:
            parse("@daily", zone)
        except ScheduleError:
            self.emit_event("Warning", "UnknownTimeZone", f'invalid timeZone: "{zone}": unknown time zone {zone}')
            return None
        if fields.get("suspend"):
            return None
        try:
            return parse(str(fields.get("schedule", "")), fields.get("timeZone"))
        except ScheduleError as error:
            message = f'unparseable schedule: "{fields.get("schedule", "")}" : {error}'
            self.emit_event("Warning", "UnparseableSchedule", message)
            return None

    def _start_due_job(self, schedule: Schedule) -> None:
        """Create the Job that is due. Source: syncCronJob, from the schedule on."""
        try:
            missed = most_recent_schedule_time(self.cron_job, self.now, schedule, with_deadline=True)
        except ValueError as error:
            self.emit_event(
                "Warning", "InvalidSchedule", f"invalid schedule: {spec(self.cron_job)['schedule']} : {error}"
            )
            return
        self.requeue_at = next_check(self.cron_job, self.now, schedule)
        scheduled = missed.recent
        if scheduled is None:
            return
        if missed.passed > MANY:
            message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
            self.emit_event("Warning", "TooManyMissedTimes", message)
        job_name = f"{name(self.cron_job)}-{int(scheduled) // 60}"
        done = parse_time(status(self.cron_job).get("lastScheduleTime")) == scheduled
        running = any(reference["name"] == job_name for reference in self.active)
        if not self._is_too_late(scheduled) and not done and not running and self._allows_start():
            self._create(job_name, scheduled, schedule)

    def _is_too_late(self, scheduled: float) -> bool:
        deadline = spec(self.cron_job).get("startingDeadlineSeconds")
        if deadline is None or scheduled + float(deadline) >= self.now:
            return False
        when = datetime.fromisoformat(format_time(scheduled)).strftime("%a, %d %b %Y %H:%M:%S +0000")
        self.emit_event("Warning", "MissSchedule", f"Missed scheduled time to start a job: {when}")
        return True

    def _allows_start(self) -> bool:
        """Return whether the concurrency policy allows another Job. `Replace` deletes the active ones."""
        policy = spec(self.cron_job).get("concurrencyPolicy") or "Allow"
        if policy == "Forbid" and self.active:
            message = "Not starting job because prior execution is running and concurrency policy is Forbid"
            self.emit_event("Normal", "JobAlreadyActive", message)
            return False
        if policy == "Replace":
            for reference in list(self.active):
                job = self.api.get("Job", f"{reference['namespace']}/{reference['name']}")
                if job is not None:
                    self._delete(job)
        return True

    def _delete(self, job: Manifest) -> None:
        self.api.delete(job)
        self._drop_active(uid(job))
        self.emit_event("Normal", "SuccessfulDelete", f"Deleted job {name(job)}")

    def _create(self, job_name: str, scheduled: float, schedule: Schedule) -> None:
        template = spec(self.cron_job).get("jobTemplate") or {}
        template_metadata = template.get("metadata") or {}
        when = datetime.fromtimestamp(int(scheduled), schedule.zone).isoformat()
        metadata: dict[str, Any] = {
            "name": job_name,
            "namespace": namespace(self.cron_job),
            "annotations": {**(template_metadata.get("annotations") or {}), SCHEDULED_AT: when.replace("+00:00", "Z")},
            "ownerReferences": [controller_reference(self.cron_job)],
        }
        if template_metadata.get("labels"):
            metadata["labels"] = template_metadata["labels"]
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": dict(template.get("spec") or {})}
        existing = self.api.get("Job", f"{namespace(self.cron_job)}/{job_name}")
        if existing is not None and (not is_controlled_by(existing, self.cron_job) or self._is_active(existing)):
            return
        if existing is None:
            try:
                existing = self.api.create(job)
            except WriteRefused as refused:
                self.failed = True
                if not is_namespace_terminating(refused.message):
                    self.emit_event("Warning", "FailedCreate", f"Error creating job: {refused.message}")
                return
            self.emit_event("Normal", "SuccessfulCreate", f"Created job {job_name}")
            self.notes.add(say("CronJob {name} is due: creates Job {job}", name=name(self.cron_job), job=job_name))
        reference = {"apiVersion": "batch/v1", "kind": "Job", "name": job_name}
        self.active.append(reference | {"namespace": namespace(self.cron_job), "uid": uid(existing)})
        self.new["lastScheduleTime"] = format_time(scheduled)

    def _clean_up(self) -> None:
        """Delete finished Jobs beyond the history limits. Source: cleanupFinishedJobs."""
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
                        "CronJob {name}: history limit is {limit}, deleting {job}",
                        name=name(self.cron_job),
                        limit=limit,
                        job=name(job),
                    )
                )


def _has_ended(job: Manifest, type_: str) -> bool:
    ended = condition(conditions(job), type_)
    return ended is not None and ended["status"] == "True"


def _by_start(jobs: Sequence[Manifest]) -> list[Manifest]:
    """Return the Jobs by start time; Jobs that never started come last. Source: byJobStartTime."""
    return sorted(
        jobs, key=lambda job: (not status(job).get("startTime"), status(job).get("startTime") or "", name(job))
    )
