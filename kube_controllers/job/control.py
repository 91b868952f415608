"""One reconcile of a Job. Source: pkg/controller/job/job_controller.go syncJob."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import Notes
from kube_controllers.counting import deletion_order
from kube_controllers.creating import create_pod, in_batches, limit_burst
from kube_controllers.job import failures, indexes, per_index, reasons
from kube_controllers.job.index_sets import IndexSet
from kube_controllers.job.per_index import FINALIZER
from kube_controllers.pods import from_template, is_active, is_ready, is_terminating, phase
from kube_objects.manifests import (
    Manifest,
    condition,
    conditions,
    finalizers,
    format_time,
    is_deleted,
    key,
    labels,
    name,
    number,
    parse_time,
    spec,
    status,
    uid,
    with_meta,
    without_finalizer,
)
from kube_objects.sentences import say

COMPONENT = "job-controller"
MOST_AT_ONCE = 500
UNCOUNTED = "uncountedTerminatedPods"
_COUNTERS = ("active", "ready", "terminating")


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
        self.only_failed = per_index.only_replaces_failed(job)
        self.limited = self.is_indexed and per_index.has_limit(job)
        self.failed_indexes = IndexSet()
        self.delayed: dict[int, Manifest] = {}
        remembered: Sequence[Any] = api.view.remembered or ()
        self.setback = failures.Setback(*remembered[:2])
        self.is_noted = bool(self.new.get(UNCOUNTED))  # pods that are to be counted were written down
        self.is_second_turn = len(remembered) > 2 and self.is_noted
        self.is_halfway = False  # a second turn follows
        self.wake_at: float | None = None
        self.failed = self.is_second_turn and bool(remembered[2])  # as the first turn has found
        self.refused = ""  # why an API server does not take the new status
        self.active = [pod for pod in self.pods if is_active(pod)]
        self.count = len(self.active)
        self.ready = sum(is_ready(pod) for pod in self.active)
        self.terminating = sum(is_terminating(pod) for pod in self.pods)
        self.done_indexes = IndexSet.parse(self.new.get("completedIndexes") or "", self.completions or 0)

    # What has ended

    def _tracked(self) -> list[Manifest]:
        """Pods that were not counted yet."""
        uncounted = self.new.get(UNCOUNTED) or {}
        known = {*(uncounted.get("succeeded") or ()), *(uncounted.get("failed") or ())}
        return [
            pod
            for pod in self.pods
            if FINALIZER in finalizers(pod) and uid(pod) not in known and (not self.is_indexed or self._has_place(pod))
        ]

    def _has_place(self, pod: Manifest) -> bool:
        return indexes.UNKNOWN < indexes.index_of(pod) < (self.completions or 0)

    def _counts_as_failed(self, pod: Manifest) -> bool:
        return per_index.is_pod_failed(pod, self.job)

    def sync(self) -> None:
        if not self.new.get("startTime") and not self._is_suspended():
            self.new["startTime"] = format_time(self.now)
        uncounted = self.new.get(UNCOUNTED) or {}
        succeeded_pods = [pod for pod in self._tracked() if phase(pod) == "Succeeded"]
        failed_pods = [pod for pod in self._tracked() if self._counts_as_failed(pod)]
        if not self.is_noted:
            self.setback = self.setback.after(succeeded_pods, failed_pods)
        self.succeeded = number(self.new.get("succeeded"), 0)
        self.succeeded += len(succeeded_pods) + len(uncounted.get("succeeded") or ())
        if self.is_indexed:
            succeeded = (pod for pod in self.pods if phase(pod) == "Succeeded" and self._has_place(pod))
            self.done_indexes |= IndexSet.of(indexes.index_of(pod) for pod in succeeded)
            self.succeeded = len(self.done_indexes)
        failed = number(self.new.get("failed"), 0) + len(uncounted.get("failed") or ())
        failed += sum(failures.match_policy(self.policy, pod).counts for pod in failed_pods)
        ending = self._ending(failed)
        if self.is_indexed:
            ending = self._ending_of_indexes(ending)
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
            failure = failures.match_policy(self.policy, pod).message if self._counts_as_failed(pod) else None
            if failure is not None:
                return self._condition("FailureTarget", "PodFailurePolicy", failure)
        limit = number(spec(self.job).get("backoffLimit"), 2**31 - 1 if self.limited else 6)
        if failed > limit or failures.restarts_past_limit(self.job, self.pods):
            return self._condition("FailureTarget", *reasons.LIMIT_EXCEEDED)
        seconds, started = spec(self.job).get("activeDeadlineSeconds"), parse_time(self.new.get("startTime"))
        if seconds is not None and started is not None and not self._is_suspended():
            if self.now - started >= seconds:
                return self._condition("FailureTarget", *reasons.TIME_EXCEEDED)
            self.wake_at = started + seconds
        return None

    def _ending_of_indexes(self, ending: dict[str, Any] | None) -> dict[str, Any] | None:
        """Why an Indexed job ends: too many indexes failed, all that are left did, or those that matter succeeded."""
        if self.limited:
            self.failed_indexes = self._failed_indexes()
            count, most = len(self.failed_indexes), spec(self.job).get("maxFailedIndexes")
            if ending is None and most is not None and count > int(most):
                ending = self._condition("FailureTarget", *reasons.TOO_MANY_INDEXES_FAILED)
            elif ending is None and count and count + len(self.done_indexes) >= (self.completions or 0):
                ending = self._condition("FailureTarget", *reasons.INDEXES_FAILED)
            settled = self.done_indexes | self.failed_indexes
            self.delayed = per_index.delayed(self.job, self.pods, self.active, settled)
        if ending is None and (met := per_index.success_policy(self.job, self.done_indexes)) is not None:
            ending = self._condition("SuccessCriteriaMet", "SuccessPolicy", met)
        return ending

    def _failed_indexes(self) -> IndexSet:
        """In the second turn those of the first one, which has deleted pods since."""
        if self.is_noted and "failedIndexes" in self.new:
            return IndexSet.parse(self.new["failedIndexes"] or "", self.completions or 0)
        return per_index.failed_indexes(self.job, self.pods)

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
        managed = not is_deleted(self.job) and not self.is_second_turn
        if managed:
            self._manage()
        elif self.is_second_turn:
            self.count, self.ready, self.terminating = (number(self.new.get(of), 0) for of in _COUNTERS)
        if self.completions is None:
            complete = self.succeeded > 0 and self.count == 0
        else:
            complete = self.succeeded >= self.completions and self.count == 0
        if complete:
            return self._condition("SuccessCriteriaMet", *reasons.REACHED)
        if managed:
            self._note_suspension()
        return None

    def _note_suspension(self) -> None:
        suspended = self._is_suspended()
        value, reason, message = ("False", "JobResumed", "Job resumed")
        if suspended:
            value, reason, message = ("True", "JobSuspended", "Job suspended")
        found = list(self.new.get("conditions") or ())
        before = condition(found, "Suspended")
        if (before is None and not suspended) or (before is not None and before["status"] == value):
            return
        made = self._condition("Suspended", reason, message, value)
        self.new["conditions"] = [made if one is before else one for one in found] if before else [*found, made]
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
            missing = min(missing, limit_burst(spec(self.job).get("template") or {}, MOST_AT_ONCE))
            places = self._pending(missing) if self.is_indexed else []
            if self.limited:
                places, until = per_index.creatable(places, self.delayed, self.now)
            else:
                until = failures.wait_until(*self.setback, self.now)
            if until is not None:
                until = max(until, self.now + 1.0)
                self.wake_at = until if self.wake_at is None else min(until, self.wake_at)
                self.count = 0  # so upstream: a job that waits to create pods reports no active ones
                return
            self._create(len(places) if self.is_indexed else missing, places)

    def _pending(self, count: int) -> list[int]:
        at_work = [indexes.index_of(pod) for pod in self.active]
        if self.only_failed:
            at_work += [indexes.index_of(pod) for pod in self.pods if is_terminating(pod)]
        taken = self.done_indexes | self.failed_indexes | IndexSet.of(at_work)
        return indexes.first_pending(count, self.completions or 0, taken)

    def _to_remove(self, at_least: int) -> list[Manifest]:
        """Source: activePodsForRemoval."""
        ordered = self._in_deletion_order(self.active)
        gone, left = indexes.duplicates(ordered, self.completions or 0) if self.is_indexed else ([], ordered)
        if len(gone) < at_least:
            gone += self._in_deletion_order(left)[: at_least - len(gone)]
        return gone

    def _in_deletion_order(self, pods: Sequence[Manifest]) -> list[Manifest]:
        counted = [self.api.view.counted(pod) for pod in pods]
        return [one.pod for one in deletion_order(counted, (), self.now)]

    def _delete(self, pods: Sequence[Manifest], keep_finalizer: bool = False) -> None:
        """Source: deleteActivePods, deleteJobPods. With the finalizer they stay until they are counted."""
        for pod in pods:
            live = pod
            if not keep_finalizer and FINALIZER in finalizers(pod):
                live = self.api.update(without_finalizer(pod, FINALIZER))
            self.api.delete(live)
            self.api.tell(self.job, "Normal", "SuccessfulDelete", f"Deleted pod: {name(pod)}", COMPONENT)
            self.count -= 1
            self.terminating += 1
            self.ready -= is_ready(pod)
        if pods:
            self.notes.add(say("Job {name} deletes {count} pods", name=name(self.job), count=len(pods)))

    def _create(self, count: int, places: Sequence[int]) -> None:
        def create(at: int) -> str:
            return create_pod(self._new_pod(places[at] if places else indexes.UNKNOWN), self.job, self.api, COMPONENT)

        made, problem = in_batches(count, create)
        self.failed = self.failed or bool(problem)
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
        if self.limited:
            about["annotations"] |= per_index.new_counts(self.job, self.delayed.get(index))
        about["labels"] = {**labels(made), indexes.COMPLETION_INDEX: str(index)}
        about["generateName"] = indexes.name_prefix(name(self.job), index)
        inside = {**indexes.with_index_variable(spec(made)), "hostname": f"{name(self.job)}-{index}"}
        return {**with_meta(made, **about), "spec": inside}

    # Counting

    def _finish(self, ending: dict[str, Any] | None) -> None:
        """Source: trackJobStatusAndRemoveFinalizers, in two turns: what is to be counted is written down first."""
        counters = dict(zip(_COUNTERS, (self.count, self.ready, self.terminating), strict=True))
        self.new |= {field: value for field, value in counters.items() if value or field != "active"}
        if not self.count:
            self.new.pop("active", None)
        if self._is_refused():
            self.refused = reasons.MORE_READY.format(ready=self.ready)
            return
        if ending is not None and condition(self.new.get("conditions") or (), ending["type"]) is None:
            self.new["conditions"] = [*(self.new.get("conditions") or ()), ending]
        to_free, noted = self._ended_pods(ending)
        counting = {*noted["succeeded"], *noted["failed"]}
        self._free(pod for pod in to_free if self.is_noted or uid(pod) not in counting)
        if counting and not self.is_noted:
            self.new[UNCOUNTED] = noted
            if self.limited:
                self.new["failedIndexes"] = str(self.failed_indexes)
            self._write_status()
            self.wake_at, self.is_halfway = self.now, True
            return
        self._add_up(noted)
        if ending is not None and self.terminating == 0:
            self._end(ending)
        if self.new != dict(status(self.job)):
            self._write_status()

    def _write_status(self) -> None:
        self.api.update_status(self.job, {UNCOUNTED: {}, **self.new})  # where nothing is left to be counted, too

    def _is_refused(self) -> bool:
        """Whether an API server takes no such counters. Source: RejectMoreReadyThanActivePods."""
        then, counts = status(self.job), (("active", self.count), ("ready", self.ready))
        return self.ready > self.count and any(number(then.get(field), 0) != count for field, count in counts)

    def _free(self, pods: Iterable[Manifest]) -> None:
        for pod in pods:
            live = self.api.get("Pod", key(pod))
            if live is not None and FINALIZER in finalizers(live):
                self.api.update(without_finalizer(live, FINALIZER))

    def _ended_pods(self, ending: dict[str, Any] | None) -> tuple[list[Manifest], dict[str, list[str]]]:
        """The pods that are free to go, and the uids of those that count, with those that were noted before."""
        before = self.new.get(UNCOUNTED) or {}
        noted = {field: list(before.get(field) or ()) for field in ("succeeded", "failed")}
        known = {*noted["succeeded"], *noted["failed"]}
        has_failed = ending is not None and ending["type"] == "FailureTarget"
        to_free = []
        for pod in self.pods:
            gone = self._counts_as_failed(pod)
            if FINALIZER not in finalizers(pod) or not self._is_free(pod, ending, gone):
                continue
            to_free.append(pod)
            if uid(pod) in known:
                continue
            if phase(pod) == "Succeeded":
                noted["succeeded"].append(uid(pod))
                continue
            counts = (gone or has_failed) and (not self.is_indexed or self._has_place(pod))
            if counts and failures.match_policy(self.policy, pod).counts:
                noted["failed"].append(uid(pod))
        return to_free, noted

    def _is_free(self, pod: Manifest, ending: dict[str, Any] | None, gone: bool) -> bool:
        """Source: canRemoveFinalizer. A failed pod may have to wait for the one that replaces it."""
        if is_deleted(self.job) or ending is not None or phase(pod) == "Succeeded":
            return True
        return gone and self.delayed.get(indexes.index_of(pod)) is not pod

    def _add_up(self, noted: Mapping[str, Sequence[str]]) -> None:
        if self.is_noted:
            self.new[UNCOUNTED] = {}
        succeeded = number(self.new.get("succeeded"), 0) + len(noted["succeeded"])
        failed = number(self.new.get("failed"), 0) + len(noted["failed"])
        counted = {"succeeded": len(self.done_indexes) if self.is_indexed else succeeded, "failed": failed}
        found = {**counted, "completedIndexes": str(self.done_indexes)} if self.is_indexed else counted
        self.new = {field: value for field, value in self.new.items() if field not in found}
        self.new |= {field: value for field, value in found.items() if value}
        if self.limited:
            self.new["failedIndexes"] = str(self.failed_indexes)

    def _end(self, ending: dict[str, Any]) -> None:
        """Source: enactJobFinished, recordJobFinished."""
        is_complete = ending["type"] == "SuccessCriteriaMet"
        final = self._condition("Complete" if is_complete else "Failed", ending["reason"], ending["message"])
        self.new["conditions"] = [*self.new["conditions"], final]
        if is_complete:
            self.new["completionTime"] = final["lastTransitionTime"]
            if self.completions is not None and number(self.new.get("succeeded"), 0) > self.completions:
                self.api.tell(self.job, "Warning", "TooManySucceededPods", reasons.TOO_MANY_SUCCEEDED, COMPONENT)
            self.api.tell(self.job, "Normal", "Completed", "Job completed", COMPONENT)
            self.notes.add(say("Job {name} is complete", name=name(self.job)))
        else:
            self.api.tell(self.job, "Warning", ending["reason"], ending["message"], COMPONENT)
            self.notes.add(say("Job {name} has failed: {reason}", name=name(self.job), reason=ending["message"]))
