"""One reconcile of a Job. Source: pkg/controller/job/job_controller.go syncJob."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import Notes
from kube_controllers.counting import rank_for_deletion
from kube_controllers.creating import create_pod, limit_burst, slow_start_batch
from kube_controllers.job import indexes, per_index, pod_failures, reasons
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
    return any(
        condition_["type"] in ("Complete", "Failed") and condition_["status"] == "True"
        for condition_ in conditions(job)
    )


class JobSync:
    """One reconcile of a Job, with its Pods and counters."""

    def __init__(self, job: Manifest, pods: Sequence[Manifest], api: Api, notes: Notes) -> None:
        self.job, self.pods, self.api, self.notes = job, list(pods), api, notes
        self.now = api.view.now
        self.new = dict(status(job))
        self.is_indexed = spec(job).get("completionMode") == "Indexed"
        self.completions: int | None = spec(job).get("completions")
        self.policy = spec(job).get("podFailurePolicy")
        self.only_failed = per_index.only_replaces_failed(job)
        self.limited = self.is_indexed and per_index.has_limit_per_index(job)
        self.failed_indexes = IndexSet()
        self.delayed: dict[int, Manifest] = {}
        memory: Sequence[Any] = api.view.remembered or ()
        self.backoff = pod_failures.FailureBackoff(*memory[:2])
        self.has_uncounted = bool(self.new.get(UNCOUNTED))  # the status lists Pods that are not counted yet
        self.is_second_pass = len(memory) > 2 and self.has_uncounted
        self.is_halfway = False  # a second pass follows
        self.requeue_at: float | None = None
        self.failed = self.is_second_pass and bool(memory[2])  # set by the first pass
        self.refused = ""  # the API server's error message for the new status
        self.active = [pod for pod in self.pods if is_active(pod)]
        self.count = len(self.active)
        self.ready = sum(is_ready(pod) for pod in self.active)
        self.terminating = sum(is_terminating(pod) for pod in self.pods)
        self.done_indexes = IndexSet.parse(self.new.get("completedIndexes") or "", self.completions or 0)

    # Finished Pods

    def _tracked_pods(self) -> list[Manifest]:
        """Return the Pods that are not counted yet."""
        uncounted = self.new.get(UNCOUNTED) or {}
        known = {*(uncounted.get("succeeded") or ()), *(uncounted.get("failed") or ())}
        return [
            pod
            for pod in self.pods
            if FINALIZER in finalizers(pod)
            and uid(pod) not in known
            and (not self.is_indexed or self._has_valid_index(pod))
        ]

    def _has_valid_index(self, pod: Manifest) -> bool:
        return indexes.UNKNOWN < indexes.index_of(pod) < (self.completions or 0)

    def _counts_as_failed(self, pod: Manifest) -> bool:
        return per_index.is_pod_failed(pod, self.job)

    def sync(self) -> None:
        """Reconcile the Job.

        1. Count succeeded and failed Pods.
        2. Find out whether the Job ends.
        3. If it does, delete its active Pods; otherwise create missing and delete surplus ones.
        4. Track finished Pods in the status, and remove their finalizers.
        """
        if not self.new.get("startTime") and not self._is_suspended():
            self.new["startTime"] = format_time(self.now)
        uncounted = self.new.get(UNCOUNTED) or {}
        succeeded_pods = [pod for pod in self._tracked_pods() if phase(pod) == "Succeeded"]
        failed_pods = [pod for pod in self._tracked_pods() if self._counts_as_failed(pod)]
        if not self.has_uncounted:
            self.backoff = self.backoff.after(succeeded_pods, failed_pods)
        self.succeeded = number(self.new.get("succeeded"), 0)
        self.succeeded += len(succeeded_pods) + len(uncounted.get("succeeded") or ())
        if self.is_indexed:
            succeeded = (pod for pod in self.pods if phase(pod) == "Succeeded" and self._has_valid_index(pod))
            self.done_indexes |= IndexSet.of(indexes.index_of(pod) for pod in succeeded)
            self.succeeded = len(self.done_indexes)
        failed = number(self.new.get("failed"), 0) + len(uncounted.get("failed") or ())
        failed += sum(pod_failures.match_policy(self.policy, pod).counts for pod in failed_pods)
        ending = self._find_ending(failed)
        if self.is_indexed:
            ending = self._find_index_ending(ending)
        if ending is not None:
            self._delete(self.active, keep_finalizer=True)
        else:
            ending = self._manage_or_complete()
        self._track_status(ending)

    def _find_ending(self, failed: int) -> dict[str, Any] | None:
        """Return the condition with which the Job ends other than by completion; None if it goes on."""
        for type_ in ("SuccessCriteriaMet", "FailureTarget"):
            known = condition(self.new.get("conditions") or (), type_)
            if known is not None and known["status"] == "True":
                return dict(known)
        for pod in self.pods:
            failure = pod_failures.match_policy(self.policy, pod).message if self._counts_as_failed(pod) else None
            if failure is not None:
                return self._condition("FailureTarget", "PodFailurePolicy", failure)
        limit = number(spec(self.job).get("backoffLimit"), 2**31 - 1 if self.limited else 6)
        if failed > limit or pod_failures.restarts_past_limit(self.job, self.pods):
            return self._condition("FailureTarget", *reasons.LIMIT_EXCEEDED)
        seconds, started = spec(self.job).get("activeDeadlineSeconds"), parse_time(self.new.get("startTime"))
        if seconds is not None and started is not None and not self._is_suspended():
            if self.now - started >= seconds:
                return self._condition("FailureTarget", *reasons.TIME_EXCEEDED)
            self.requeue_at = started + seconds
        return None

    def _find_index_ending(self, ending: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return the condition with which an Indexed Job ends.

        It ends if too many indexes failed, if all indexes are finished, or by its success policy.
        """
        if self.limited:
            self.failed_indexes = self._failed_indexes()
            count, most = len(self.failed_indexes), spec(self.job).get("maxFailedIndexes")
            if ending is None and most is not None and count > int(most):
                ending = self._condition("FailureTarget", *reasons.TOO_MANY_INDEXES_FAILED)
            elif ending is None and count and count + len(self.done_indexes) >= (self.completions or 0):
                ending = self._condition("FailureTarget", *reasons.INDEXES_FAILED)
            settled = self.done_indexes | self.failed_indexes
            self.delayed = per_index.failed_pods_to_replace(self.job, self.pods, self.active, settled)
        if ending is None and (met := per_index.success_policy(self.job, self.done_indexes)) is not None:
            ending = self._condition("SuccessCriteriaMet", "SuccessPolicy", met)
        return ending

    def _failed_indexes(self) -> IndexSet:
        """Return the failed indexes. The second pass takes those of the first, which has deleted Pods since."""
        if self.has_uncounted and "failedIndexes" in self.new:
            return IndexSet.parse(self.new["failedIndexes"] or "", self.completions or 0)
        return per_index.failed_indexes(self.job, self.pods)

    def _condition(self, type_: str, reason: str, message: str, value: str = "True") -> dict[str, Any]:
        moment = format_time(self.now)
        return {
            "type": type_,
            "status": value,
            "lastProbeTime": moment,
            "lastTransitionTime": moment,
            "reason": reason,
            "message": message,
        }

    # Pods

    def _is_suspended(self) -> bool:
        return bool(spec(self.job).get("suspend"))

    def _manage_or_complete(self) -> dict[str, Any] | None:
        managed = not is_deleted(self.job) and not self.is_second_pass
        if managed:
            self._manage_pods()
        elif self.is_second_pass:
            self.count, self.ready, self.terminating = (number(self.new.get(of), 0) for of in _COUNTERS)
        if self.completions is None:
            complete = self.succeeded > 0 and self.count == 0
        else:
            complete = self.succeeded >= self.completions and self.count == 0
        if complete:
            return self._condition("SuccessCriteriaMet", *reasons.REACHED)
        if managed:
            self._update_suspended()
        return None

    def _update_suspended(self) -> None:
        suspended = self._is_suspended()
        value, reason, message = ("False", "JobResumed", "Job resumed")
        if suspended:
            value, reason, message = ("True", "JobSuspended", "Job suspended")
        listed = list(self.new.get("conditions") or ())
        before = condition(listed, "Suspended")
        if (before is None and not suspended) or (before is not None and before["status"] == value):
            return
        made = self._condition("Suspended", reason, message, value)
        self.new["conditions"] = (
            [made if existing is before else existing for existing in listed] if before else [*listed, made]
        )
        self.api.emit_event(self.job, "Normal", "Suspended" if suspended else "Resumed", message, COMPONENT)
        self.notes.add(
            say("Job {name} is suspended", name=name(self.job))
            if suspended
            else say("Job {name} resumes", name=name(self.job))
        )
        self.new.pop("startTime", None)
        if not suspended:
            self.new["startTime"] = format_time(self.now)

    def _manage_pods(self) -> None:
        """Create missing Pods or delete surplus ones. Source: manageJob."""
        if self._is_suspended():
            self._delete(self.active)
            return
        parallelism = number(spec(self.job).get("parallelism"), 1)
        if self.completions is None:
            wanted = self.count if self.succeeded > 0 else parallelism
        else:
            wanted = max(min(self.completions - self.succeeded, parallelism), 0)
        surplus = self._pods_to_remove(max(self.count - wanted, 0))
        if surplus:
            self._delete(surplus[:MOST_AT_ONCE])
            return
        missing = wanted - (self.terminating if self.only_failed else 0) - self.count
        if missing > 0:
            missing = min(missing, limit_burst(spec(self.job).get("template") or {}, MOST_AT_ONCE))
            pending = self._pending_indexes(missing) if self.is_indexed else []
            if self.limited:
                pending, not_before = per_index.creatable_indexes(pending, self.delayed, self.now)
            else:
                not_before = pod_failures.wait_until(*self.backoff, self.now)
            if not_before is not None:
                not_before = max(not_before, self.now + 1.0)
                self.requeue_at = not_before if self.requeue_at is None else min(not_before, self.requeue_at)
                self.count = 0  # as upstream: a Job in backoff reports no active Pods
                return
            self._create(len(pending) if self.is_indexed else missing, pending)

    def _pending_indexes(self, count: int) -> list[int]:
        running = [indexes.index_of(pod) for pod in self.active]
        if self.only_failed:
            running += [indexes.index_of(pod) for pod in self.pods if is_terminating(pod)]
        taken = self.done_indexes | self.failed_indexes | IndexSet.of(running)
        return indexes.first_pending_indexes(count, self.completions or 0, taken)

    def _pods_to_remove(self, at_least: int) -> list[Manifest]:
        """Return at least so many Pods to delete, Pods with duplicate indexes first. Source: activePodsForRemoval."""
        ordered = self._in_deletion_order(self.active)
        to_remove, unique = (
            indexes.find_duplicates(ordered, self.completions or 0) if self.is_indexed else ([], ordered)
        )
        if len(to_remove) < at_least:
            to_remove += self._in_deletion_order(unique)[: at_least - len(to_remove)]
        return to_remove

    def _in_deletion_order(self, pods: Sequence[Manifest]) -> list[Manifest]:
        counted = [self.api.view.counted(pod) for pod in pods]
        return [pod.pod for pod in rank_for_deletion(counted, (), self.now)]

    def _delete(self, pods: Sequence[Manifest], keep_finalizer: bool = False) -> None:
        """Delete Pods. With the finalizer they stay until they are counted. Source: deleteActivePods, deleteJobPods."""
        for pod in pods:
            live = pod
            if not keep_finalizer and FINALIZER in finalizers(pod):
                live = self.api.update(without_finalizer(pod, FINALIZER))
            self.api.delete(live)
            self.api.emit_event(self.job, "Normal", "SuccessfulDelete", f"Deleted pod: {name(pod)}", COMPONENT)
            self.count -= 1
            self.terminating += 1
            self.ready -= is_ready(pod)
        if pods:
            self.notes.add(say("Job {name} deletes {count} pods", name=name(self.job), count=len(pods)))

    def _create(self, count: int, places: Sequence[int]) -> None:
        def create(at: int) -> str:
            return create_pod(self._new_pod(places[at] if places else indexes.UNKNOWN), self.job, self.api, COMPONENT)

        created, problem = slow_start_batch(count, create)
        self.failed = self.failed or bool(problem)
        self.notes.add(
            say(
                "Job {name} has {now} active Pods and {done} succeeded: creates {count}",
                name=name(self.job),
                now=self.count,
                done=self.succeeded,
                count=created,
            )
        )
        self.count += created

    def _new_pod(self, index: int) -> dict[str, Any]:
        pod = from_template(spec(self.job).get("template") or {}, self.job)
        metadata: dict[str, Any] = {"finalizers": [*finalizers(pod), FINALIZER]}
        if index == indexes.UNKNOWN:
            return with_meta(pod, **metadata)
        metadata["annotations"] = {**(pod["metadata"].get("annotations") or {}), indexes.COMPLETION_INDEX: str(index)}
        if self.limited:
            metadata["annotations"] |= per_index.new_counts(self.job, self.delayed.get(index))
        metadata["labels"] = {**labels(pod), indexes.COMPLETION_INDEX: str(index)}
        metadata["generateName"] = indexes.name_prefix(name(self.job), index)
        pod_spec = {**indexes.with_index_variable(spec(pod)), "hostname": f"{name(self.job)}-{index}"}
        return {**with_meta(pod, **metadata), "spec": pod_spec}

    # Counting

    def _track_status(self, ending: dict[str, Any] | None) -> None:
        """Count finished Pods and remove their finalizers, in two passes.

        1. The first pass lists the Pods to count in the status, so that none is counted twice.
        2. The second pass adds them to the counters and removes their finalizers.

        Source: trackJobStatusAndRemoveFinalizers.
        """
        counters = dict(zip(_COUNTERS, (self.count, self.ready, self.terminating), strict=True))
        self.new |= {field: value for field, value in counters.items() if value or field != "active"}
        if not self.count:
            self.new.pop("active", None)
        if self._is_refused():
            self.refused = reasons.MORE_READY.format(ready=self.ready)
            return
        if ending is not None and condition(self.new.get("conditions") or (), ending["type"]) is None:
            self.new["conditions"] = [*(self.new.get("conditions") or ()), ending]
        to_free, noted = self._finished_pods(ending)
        counting = {*noted["succeeded"], *noted["failed"]}
        self._remove_finalizers(pod for pod in to_free if self.has_uncounted or uid(pod) not in counting)
        if counting and not self.has_uncounted:
            self.new[UNCOUNTED] = noted
            if self.limited:
                self.new["failedIndexes"] = str(self.failed_indexes)
            self._write_status()
            self.requeue_at, self.is_halfway = self.now, True
            return
        self._add_counts(noted)
        if ending is not None and self.terminating == 0:
            self._finish_job(ending)
        if self.new != dict(status(self.job)):
            self._write_status()

    def _write_status(self) -> None:
        self.api.update_status(self.job, {UNCOUNTED: {}, **self.new})  # an empty list is written, too

    def _is_refused(self) -> bool:
        """Return whether the API server refuses the counters. Source: RejectMoreReadyThanActivePods."""
        then, counts = status(self.job), (("active", self.count), ("ready", self.ready))
        return self.ready > self.count and any(number(then.get(field), 0) != count for field, count in counts)

    def _remove_finalizers(self, pods: Iterable[Manifest]) -> None:
        for pod in pods:
            live = self.api.get("Pod", key(pod))
            if live is not None and FINALIZER in finalizers(live):
                self.api.update(without_finalizer(live, FINALIZER))

    def _finished_pods(self, ending: dict[str, Any] | None) -> tuple[list[Manifest], dict[str, list[str]]]:
        """Return the Pods whose finalizers can be removed, and the uids to count with those listed before."""
        before = self.new.get(UNCOUNTED) or {}
        noted = {field: list(before.get(field) or ()) for field in ("succeeded", "failed")}
        known = {*noted["succeeded"], *noted["failed"]}
        has_failed = ending is not None and ending["type"] == "FailureTarget"
        to_free = []
        for pod in self.pods:
            gone = self._counts_as_failed(pod)
            if FINALIZER not in finalizers(pod) or not self._can_remove_finalizer(pod, ending, gone):
                continue
            to_free.append(pod)
            if uid(pod) in known:
                continue
            if phase(pod) == "Succeeded":
                noted["succeeded"].append(uid(pod))
                continue
            counts = (gone or has_failed) and (not self.is_indexed or self._has_valid_index(pod))
            if counts and pod_failures.match_policy(self.policy, pod).counts:
                noted["failed"].append(uid(pod))
        return to_free, noted

    def _can_remove_finalizer(self, pod: Manifest, ending: dict[str, Any] | None, gone: bool) -> bool:
        """Return whether the Pod no longer needs its finalizer. A failed one may wait for its replacement. Source:
        canRemoveFinalizer.
        """
        if is_deleted(self.job) or ending is not None or phase(pod) == "Succeeded":
            return True
        return gone and self.delayed.get(indexes.index_of(pod)) is not pod

    def _add_counts(self, noted: Mapping[str, Sequence[str]]) -> None:
        if self.has_uncounted:
            self.new[UNCOUNTED] = {}
        succeeded = number(self.new.get("succeeded"), 0) + len(noted["succeeded"])
        failed = number(self.new.get("failed"), 0) + len(noted["failed"])
        counted = {"succeeded": len(self.done_indexes) if self.is_indexed else succeeded, "failed": failed}
        counters = {**counted, "completedIndexes": str(self.done_indexes)} if self.is_indexed else counted
        self.new = {field: value for field, value in self.new.items() if field not in counters}
        self.new |= {field: value for field, value in counters.items() if value}
        if self.limited:
            self.new["failedIndexes"] = str(self.failed_indexes)

    def _finish_job(self, ending: dict[str, Any]) -> None:
        """Set the final condition and emit its Events. Source: enactJobFinished, recordJobFinished."""
        is_complete = ending["type"] == "SuccessCriteriaMet"
        final = self._condition("Complete" if is_complete else "Failed", ending["reason"], ending["message"])
        self.new["conditions"] = [*self.new["conditions"], final]
        if is_complete:
            self.new["completionTime"] = final["lastTransitionTime"]
            if self.completions is not None and number(self.new.get("succeeded"), 0) > self.completions:
                self.api.emit_event(self.job, "Warning", "TooManySucceededPods", reasons.TOO_MANY_SUCCEEDED, COMPONENT)
            self.api.emit_event(self.job, "Normal", "Completed", "Job completed", COMPONENT)
            self.notes.add(say("Job {name} is complete", name=name(self.job)))
        else:
            self.api.emit_event(self.job, "Warning", ending["reason"], ending["message"], COMPONENT)
            self.notes.add(say("Job {name} has failed: {reason}", name=name(self.job), reason=ending["message"]))
