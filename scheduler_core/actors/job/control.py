"""One reconcile of a Job. Source: pkg/controller/job/job_controller.go syncJob."""

from collections.abc import Sequence
from typing import Any

from scheduler_core.actors.api import Api, Refused
from scheduler_core.actors.contract import Notes
from scheduler_core.actors.job import failures, indexes
from scheduler_core.actors.manifests import (
    Manifest,
    condition,
    conditions,
    finalizers,
    format_time,
    is_deleted,
    labels,
    name,
    number,
    parse_time,
    spec,
    status,
    uid,
    with_meta,
)
from scheduler_core.actors.pods import deletion_order, from_template, is_active, is_ready, is_terminating, phase
from scheduler_core.sentences import say

COMPONENT = "job-controller"
FINALIZER = "batch.kubernetes.io/job-tracking"
MOST_AT_ONCE = 500
_FAILED_BY_LIMIT = ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
_FAILED_BY_TIME = ("DeadlineExceeded", "Job was active longer than specified deadline")
_REACHED = ("CompletionsReached", "Reached expected number of succeeded pods")


def is_finished(job: Manifest) -> bool:
    return any(one["type"] in ("Complete", "Failed") and one["status"] == "True" for one in conditions(job))


class Control:
    """A job, its pods, and what is counted of them on the way."""

    def __init__(self, job: Manifest, pods: Sequence[Manifest], api: Api, notes: Notes) -> None:
        self.job, self.pods, self.api, self.notes = job, list(pods), api, notes
        self.now = api.view.now
        self.new = dict(status(job))
        self.is_indexed = spec(job).get("completionMode") == "Indexed"
        self.completions: int | None = spec(job).get("completions")
        self.policy = spec(job).get("podFailurePolicy")
        self.only_failed = (
            spec(job).get("podReplacementPolicy") == "Failed"
            if spec(job).get("podReplacementPolicy")
            else self.policy is not None
        )
        self.wake_at: float | None = None
        self.failed = False
        self.active = [pod for pod in self.pods if is_active(pod)]
        self.count = len(self.active)
        self.ready = sum(is_ready(pod) for pod in self.active)
        self.terminating = sum(is_terminating(pod) for pod in self.pods)
        self.done_indexes = indexes.parse(self.new.get("completedIndexes", ""), self.completions or 0)

    # What has ended

    def _tracked(self) -> list[Manifest]:
        """Pods that were not counted yet."""
        uncounted = self.new.get("uncountedTerminatedPods") or {}
        known = {*(uncounted.get("succeeded") or ()), *(uncounted.get("failed") or ())}
        return [
            pod
            for pod in self.pods
            if FINALIZER in finalizers(pod) and uid(pod) not in known and (not self.is_indexed or self._has_place(pod))
        ]

    def _has_place(self, pod: Manifest) -> bool:
        return indexes.UNKNOWN < indexes.index_of(pod) < (self.completions or 0)

    def _counts_as_failed(self, pod: Manifest) -> bool:
        """Source: isPodFailed."""
        if phase(pod) == "Failed":
            return True
        return not self.only_failed and is_deleted(pod) and phase(pod) != "Succeeded"

    def _new_failures(self) -> int:
        found = [pod for pod in self._tracked() if self._counts_as_failed(pod)]
        return sum(failures.match_policy(self.policy, pod).counts for pod in found)

    def sync(self) -> None:
        if not self.new.get("startTime") and not self._is_suspended():
            self.new["startTime"] = format_time(self.now)
        uncounted = self.new.get("uncountedTerminatedPods") or {}
        succeeded_pods = [pod for pod in self._tracked() if phase(pod) == "Succeeded"]
        self.succeeded = number(self.new.get("succeeded"), 0)
        self.succeeded += len(succeeded_pods) + len(uncounted.get("succeeded") or ())
        if self.is_indexed:
            found = {indexes.index_of(pod) for pod in self.pods if phase(pod) == "Succeeded" and self._has_place(pod)}
            self.done_indexes = sorted({*self.done_indexes, *found})
            self.succeeded = len(self.done_indexes)
        failed = number(self.new.get("failed"), 0) + self._new_failures() + len(uncounted.get("failed") or ())
        ending = self._ending(failed)
        if ending is not None:
            self._delete(self.active, keep_finalizer=True)
        else:
            ending = self._manage_or_complete()
        self._finish(ending)

    def _ending(self, failed: int) -> dict[str, Any] | None:
        """Why the job ends, other than by being complete."""
        for type_ in ("SuccessCriteriaMet", "FailureTarget"):
            found = condition(self.new.get("conditions") or (), type_)
            if found is not None and found["status"] == "True":
                return dict(found)
        for pod in self.pods:
            told = failures.match_policy(self.policy, pod).message if self._counts_as_failed(pod) else None
            if told is not None:
                return self._condition("FailureTarget", "PodFailurePolicy", told)
        limit = number(spec(self.job).get("backoffLimit"), 6)
        if failed > limit or failures.restarts_past_limit(self.job, self.pods):
            return self._condition("FailureTarget", *_FAILED_BY_LIMIT)
        seconds, started = spec(self.job).get("activeDeadlineSeconds"), parse_time(self.new.get("startTime"))
        if seconds is not None and started is not None and not self._is_suspended():
            if self.now - started >= seconds:
                return self._condition("FailureTarget", *_FAILED_BY_TIME)
            self.wake_at = started + seconds
        return None

    def _condition(self, type_: str, reason: str, message: str, value: str = "True") -> dict[str, Any]:
        at = format_time(self.now)
        return {
            "type": type_,
            "status": value,
            "lastProbeTime": at,
            "lastTransitionTime": at,
            "reason": reason,
            "message": message,
        }

    # Pods

    def _is_suspended(self) -> bool:
        return bool(spec(self.job).get("suspend"))

    def _manage_or_complete(self) -> dict[str, Any] | None:
        managed = not is_deleted(self.job)
        if managed:
            self._manage()
        if self.completions is None:
            complete = self.succeeded > 0 and self.count == 0
        else:
            complete = self.succeeded >= self.completions and self.count == 0
        if complete:
            return self._condition("SuccessCriteriaMet", *_REACHED)
        if managed:
            self._note_suspension()
        return None

    def _note_suspension(self) -> None:
        suspended = self._is_suspended()
        value, reason, message = (
            ("True", "JobSuspended", "Job suspended")
            if suspended
            else (
                "False",
                "JobResumed",
                "Job resumed",
            )
        )
        found = list(self.new.get("conditions") or ())
        before = condition(found, "Suspended")
        if (before is None and not suspended) or (before is not None and before["status"] == value):
            return
        self.new["conditions"] = [one for one in found if one["type"] != "Suspended"]
        self.new["conditions"].append(self._condition("Suspended", reason, message, value))
        self.api.tell(self.job, "Normal", "Suspended" if suspended else "Resumed", message, COMPONENT)
        self.notes.add(
            say("Job {name} is suspended", name=name(self.job))
            if suspended
            else say("Job {name} goes on", name=name(self.job))
        )
        self.new.pop("startTime", None)
        if not suspended:
            self.new["startTime"] = format_time(self.now)

    def _manage(self) -> None:
        """Source: manageJob."""
        if self._is_suspended():
            self._delete(self.active)
            return
        parallelism = number(spec(self.job).get("parallelism"), 1)
        if self.completions is None:
            wanted = self.count if self.succeeded > 0 else parallelism
        else:
            wanted = max(min(self.completions - self.succeeded, parallelism), 0)
        surplus = self._to_remove(max(self.count - wanted, 0))
        if surplus:
            self._delete(surplus[:MOST_AT_ONCE])
            return
        missing = wanted - (self.terminating if self.only_failed else 0) - self.count
        if missing > 0:
            until = failures.wait_until(self.pods, self.now)
            if until is not None:
                self.wake_at = until if self.wake_at is None else min(until, self.wake_at)
                return
            self._create(min(missing, MOST_AT_ONCE))

    def _to_remove(self, at_least: int) -> list[Manifest]:
        """Source: activePodsForRemoval."""
        ordered = deletion_order(self.active, (), self.now)
        gone, left = indexes.duplicates(ordered, self.completions or 0) if self.is_indexed else ([], ordered)
        if len(gone) < at_least:
            gone += deletion_order(left, (), self.now)[: at_least - len(gone)]
        return gone

    def _delete(self, pods: Sequence[Manifest], keep_finalizer: bool = False) -> None:
        """Source: deleteActivePods, deleteJobPods. With the finalizer they stay until they are counted."""
        for pod in pods:
            live = pod
            if not keep_finalizer and FINALIZER in finalizers(pod):
                live = self.api.update(_without_finalizer(pod))
            self.api.delete(live)
            self.api.tell(self.job, "Normal", "SuccessfulDelete", f"Deleted pod: {name(pod)}", COMPONENT)
            self.count -= 1
            self.terminating += 1
            self.ready -= is_ready(pod)
        if pods:
            self.notes.add(say("Job {name} deletes {count} pods", name=name(self.job), count=len(pods)))

    def _create(self, count: int) -> None:
        places: list[int] = []
        if self.is_indexed:
            taken = [*self.done_indexes, *(indexes.index_of(pod) for pod in self.active)]
            places = indexes.first_pending(count, self.completions or 0, taken)
            count = len(places)
        made = 0
        for at in range(count):
            try:
                pod = self.api.create(self._new_pod(places[at] if places else indexes.UNKNOWN))
            except Refused as refused:
                message = f"Error creating: {refused.message}"
                self.api.tell(self.job, "Warning", "FailedCreate", message, COMPONENT)
                self.failed = True
                break
            self.api.tell(self.job, "Normal", "SuccessfulCreate", f"Created pod: {name(pod)}", COMPONENT)
            made += 1
        self.notes.add(
            say(
                "Job {name} has {now} pods at work and {done} succeeded: creates {count}",
                name=name(self.job),
                now=self.count,
                done=self.succeeded,
                count=made,
            )
        )
        self.count += made

    def _new_pod(self, index: int) -> dict[str, Any]:
        made = from_template(spec(self.job).get("template") or {}, self.job)
        about: dict[str, Any] = {"finalizers": [*finalizers(made), FINALIZER]}
        if index == indexes.UNKNOWN:
            return with_meta(made, **about)
        about["annotations"] = {**(made["metadata"].get("annotations") or {}), indexes.COMPLETION_INDEX: str(index)}
        about["labels"] = {**labels(made), indexes.COMPLETION_INDEX: str(index)}
        about["generateName"] = f"{name(self.job)}-{index}-"
        return {**with_meta(made, **about), "spec": {**spec(made), "hostname": f"{name(self.job)}-{index}"}}

    # Counting

    def _finish(self, ending: dict[str, Any] | None) -> None:
        """Source: trackJobStatusAndRemoveFinalizers, in two turns: what is to be counted is written down first."""
        counters = {"active": self.count, "ready": self.ready, "terminating": self.terminating}
        self.new |= {field: value for field, value in counters.items() if value or field != "active"}
        if not self.count:
            self.new.pop("active", None)
        if ending is not None and condition(self.new.get("conditions") or (), ending["type"]) is None:
            self.new["conditions"] = [*(self.new.get("conditions") or ()), ending]
        pending = self.new.get("uncountedTerminatedPods") or {}
        succeeded, failed = list(pending.get("succeeded") or ()), list(pending.get("failed") or ())
        to_free = self._count(ending, succeeded, failed)
        if to_free and not pending:
            self._write_down(succeeded, failed)
            return
        if pending:
            to_free += [pod for pod in self.pods if uid(pod) in {*succeeded, *failed} and pod not in to_free]
        for pod in to_free:
            live = self.api.get("Pod", f"{pod['metadata']['namespace']}/{name(pod)}")
            if live is not None and FINALIZER in finalizers(live):
                self.api.update(_without_finalizer(live))
        self._add_up(succeeded, failed)
        if ending is not None and self.terminating == 0:
            self._end(ending)
        if self.new != dict(status(self.job)):
            self.api.update_status(self.job, self.new)

    def _count(self, ending: dict[str, Any] | None, succeeded: list[str], failed: list[str]) -> list[Manifest]:
        """Adds the uids of pods that have ended; the pods that are free to go."""
        to_free = []
        has_failed = ending is not None and ending["type"] == "FailureTarget"
        for pod in self.pods:
            if FINALIZER not in finalizers(pod) or uid(pod) in {*succeeded, *failed}:
                continue
            gone = self._counts_as_failed(pod)
            if not (is_deleted(self.job) or ending is not None or phase(pod) == "Succeeded" or gone):
                continue
            to_free.append(pod)
            if phase(pod) == "Succeeded":
                succeeded.append(uid(pod))
                continue
            counts = failures.match_policy(self.policy, pod).counts
            if (gone or has_failed) and counts and (not self.is_indexed or self._has_place(pod)):
                failed.append(uid(pod))
        return to_free

    def _write_down(self, succeeded: Sequence[str], failed: Sequence[str]) -> None:
        self.new["uncountedTerminatedPods"] = {"succeeded": list(succeeded), "failed": list(failed)}
        self.api.update_status(self.job, self.new)

    def _add_up(self, succeeded: Sequence[str], failed: Sequence[str]) -> None:
        self.new.pop("uncountedTerminatedPods", None)
        counted = {
            "succeeded": len(self.done_indexes)
            if self.is_indexed
            else number(self.new.get("succeeded"), 0) + len(succeeded),
            "failed": number(self.new.get("failed"), 0) + len(failed),
        }
        self.new |= {field: value for field, value in counted.items() if value}
        if self.is_indexed and self.done_indexes:
            self.new["completedIndexes"] = indexes.write(self.done_indexes)

    def _end(self, ending: dict[str, Any]) -> None:
        """Source: enactJobFinished, recordJobFinished."""
        is_complete = ending["type"] == "SuccessCriteriaMet"
        final = self._condition("Complete" if is_complete else "Failed", ending["reason"], ending["message"])
        self.new["conditions"] = [*self.new["conditions"], final]
        if is_complete:
            self.new["completionTime"] = final["lastTransitionTime"]
            self.api.tell(self.job, "Normal", "Completed", "Job completed", COMPONENT)
            self.notes.add(say("Job {name} is complete", name=name(self.job)))
        else:
            self.api.tell(self.job, "Warning", ending["reason"], ending["message"], COMPONENT)
            self.notes.add(say("Job {name} has failed: {reason}", name=name(self.job), reason=ending["message"]))


def _without_finalizer(pod: Manifest) -> dict[str, Any]:
    return with_meta(pod, finalizers=[one for one in finalizers(pod) if one != FINALIZER] or None)
