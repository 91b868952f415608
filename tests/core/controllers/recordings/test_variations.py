"""Sequences as the recorded ones are, with other objects and orders, and what upstream's source makes of them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from kube_controllers.pods import node_of
from kube_objects.manifests import labels, owners, spec, status
from tests.core.controllers.chaos import template, workload
from tests.core.controllers.recordings.sequence_replay import Played, Step

READY, SUCCEED = ({"kubelet": how} for how in ("ready", "succeed"))
ONE_READY = {"kubelet": "ready", "count": 1}
APPLY = "kubectl apply -f w.yaml"
_STORAGE = {"resources": {"requests": {"storage": "1Gi"}}}
CLAIM = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], **_STORAGE}}
SURGE = {"maxSurge": 1, "maxUnavailable": 0}
DELETE = {"whenDeleted": "Delete", "whenScaled": "Delete"}


def a_job(**asked: Any) -> dict[str, Any]:
    inside = template("web")
    inside["spec"]["restartPolicy"] = "Never"
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "web"}, "spec": {"template": inside, **asked}}


def a_cron_job(**asked: Any) -> dict[str, Any]:
    inside = {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": a_job()["spec"]}, **asked}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "web"}, "spec": inside}


def a_set(**asked: Any) -> dict[str, Any]:
    return workload("StatefulSet", "web", podManagementPolicy="Parallel", **asked)


QUOTA = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "2"}}}


class Case(NamedTuple):
    source: str
    steps: Sequence[Step]
    files: Sequence[Mapping[str, Any]]
    reason: str
    messages: Sequence[str]


_POLICY = '{"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Delete","whenScaled":"Retain"}}}'
_FULL = "exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2"
EVENTS: Mapping[str, Case] = {
    "a batch of a parallel set ends where one of its pods is refused": Case(
        "statefulset/stateful_set_control.go slowStartBatch",
        [APPLY],
        [a_set(replicas=5), QUOTA],
        "FailedCreate",
        [f'Create Pod web-2 in StatefulSet web failed error: pods "web-2" is forbidden: {_FULL}'],
    ),
    "jobs look again a second after their statuses, and later as they fail": Case(
        "job/job_controller.go updateJob",
        [APPLY, SUCCEED],
        [a_job(completions=6, parallelism=6), QUOTA],
        "FailedCreate",
        [f'Error creating: pods "web-<rand>" is forbidden: {_FULL}'] * 2,  # as measured: `job-quota-succeed`
    ),
    "a surging daemon set looks again when its new pod is available": Case(
        "daemon/daemon_controller.go updatePod",
        [APPLY, READY, 3.0, "kubectl set image ds/web main=v:2", ONE_READY, 3.0],
        [workload("DaemonSet", "web", minReadySeconds=2, updateStrategy={"rollingUpdate": SURGE})],
        "SuccessfulDelete",
        ["Deleted pod: web-<rand>"],
    ),
}


@pytest.mark.parametrize("named", EVENTS)
def test_events(named: str) -> None:
    case = EVENTS[named]
    assert Played(case.steps, *case.files).events(case.reason) == case.messages


class TestClaims:
    """Source: statefulset/stateful_pod_control.go."""

    def test_that_wait_belong_to_the_set_already(self) -> None:
        owner = a_set(replicas=2, volumeClaimTemplates=[CLAIM], persistentVolumeClaimRetentionPolicy=DELETE)
        assert Played([APPLY], owner).names("PersistentVolumeClaim") == ["data-web-0", "data-web-1"]
        assert Played([APPLY, "kubectl scale sts web --replicas=1"], owner).names("PersistentVolumeClaim") == [
            "data-web-0"
        ]
        assert Played([APPLY, "kubectl delete sts web"], owner).names("PersistentVolumeClaim") == []

    def test_that_are_invalid_are_refused_and_no_pod_is_made(self) -> None:
        """An API server takes no such set; one that was imported may be."""
        claim = {**CLAIM, "spec": _STORAGE}
        played = Played([0.0], QUOTA, a_set(replicas=1, volumeClaimTemplates=[claim]))
        why = 'PersistentVolumeClaim "data-web-0" is invalid: spec.accessModes: Required value: at least 1 access mode'
        assert [why in message for message in played.events("FailedCreate")] == [True, True]
        assert played.names("Pod") == []

    def test_of_another_policy_are_an_update_of_their_pods(self) -> None:
        """Pods that were bound by hand, since nothing here provides a volume."""
        owner = a_set(replicas=1, volumeClaimTemplates=[CLAIM])
        owner["spec"]["template"]["spec"]["nodeName"] = "node-1"
        played = Played([APPLY, READY, f"kubectl patch sts web -p '{_POLICY}'"], owner)
        assert played.events("SuccessfulUpdate") == ["Update Pod web-0 in StatefulSet web successful"]
        assert [one["kind"] for one in owners(played.one("PersistentVolumeClaim"))] == ["StatefulSet"]

    def test_that_are_used_are_bound_and_stay(self) -> None:
        """Source: volume/pvcprotection/pvc_protection_controller.go."""
        has = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}
        volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "a"}, "spec": has}
        claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **CLAIM}
        uses = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        inside = {**template("web")["spec"], "volumes": uses}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": inside}
        steps: list[Step] = [APPLY, READY, "kubectl delete pvc data --wait=false"]
        played = Played(steps, pod, volume, claim)
        assert (played.names("PersistentVolumeClaim"), len(played.names("Pod"))) == (["data"], 1)
        assert Played([*steps, "kubectl delete pod web"], pod, volume, claim).names("PersistentVolumeClaim") == []

    def test_that_name_their_volume_wait_for_it_in_silence(self) -> None:
        """Source: volume/persistentvolume/pv_controller.go syncUnboundClaim."""
        for named, count in (("x", 0), ("", 1)):
            asked = {"accessModes": ["ReadWriteOnce"], **_STORAGE, "storageClassName": "none", "volumeName": named}
            claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": asked}
            assert len(Played([APPLY], claim).events("ProvisioningFailed")) == count

    def test_that_come_are_heard_of_before_they_are_bound(self) -> None:
        """As measured: a scheduler tries the pod for the claim, and again for the volume that says whose it is."""
        has = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}
        volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "a"}, "spec": has}
        uses = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        inside = {**template("web")["spec"], "volumes": uses}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": inside}
        claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **CLAIM}
        played = Played(["kubectl get pods", APPLY], claim, volume, pod)
        told = "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
        assert played.events("FailedScheduling") == [told] * 2
        assert node_of(played.one("Pod"))

    def test_that_go_keep_their_pod_from_being_made(self) -> None:
        kept = {"metadata": {"name": "data-web-0", "namespace": "default", "finalizers": ["example.com/kept"]}}
        claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **kept, "spec": CLAIM["spec"]}
        owner = a_set(replicas=1, volumeClaimTemplates=[CLAIM])
        played = Played(["kubectl delete pvc data-web-0 --wait=false", APPLY], owner, claim)
        why = "Create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted"
        assert played.events("FailedCreate") == [why]


class TestJobs:
    def test_of_indexes_tell_their_containers(self) -> None:
        """Source: job/indexed_job_utils.go addCompletionIndexEnvVariables, podGenerateNameWithIndex."""
        played = Played([APPLY], a_job(completions=1, completionMode="Indexed"))
        pod = played.one("Pod")
        (variable,) = spec(pod)["containers"][0]["env"]
        assert variable["name"] == "JOB_COMPLETION_INDEX"
        assert variable["valueFrom"]["fieldRef"]["fieldPath"].removeprefix("metadata.labels['")[:-2] in labels(pod)

    def test_whose_indexes_fail_too_often_do_not_blame_those_that_were_at_work(self) -> None:
        """Source: job/job_controller.go trackJobStatusAndRemoveFinalizers, calculateFailedIndexes."""
        job = a_job(completions=4, parallelism=4, completionMode="Indexed", backoffLimitPerIndex=0, maxFailedIndexes=1)
        played = Played([APPLY, {"kubelet": "fail", "count": 2}], job)
        assert (status(played.one("Job"))["failedIndexes"], status(played.one("Job"))["failed"]) == ("0,1", 4)
        assert played.events("MaxFailedIndexesExceeded")

    def test_of_fewer_indexes_forget_those_beyond(self) -> None:
        """Source: job/indexed_job_utils.go calculateSucceededIndexes."""
        job = a_job(completions=3, parallelism=3, completionMode="Indexed")
        fewer = """kubectl patch job web -p '{spec: {completions: 1, parallelism: 1}}'"""
        steps: list[Step] = [APPLY, {"kubelet": "fail", "count": 1}, {"kubelet": "succeed", "count": 1}]
        assert status(Played(steps, job).one("Job"))["completedIndexes"] == "1"
        assert not {"completedIndexes", "succeeded"} & status(Played([*steps, fewer], job).one("Job")).keys()

    def test_that_no_history_keeps_count_as_successes(self) -> None:
        """Source: cronjob/cronjob_controllerv2.go syncCronJob, which sees jobs that were cleaned up just before."""
        steps: list[Step] = [APPLY, "kubectl create job now --from=cronjob/web", SUCCEED]
        played = Played(steps, a_cron_job(successfulJobsHistoryLimit=0))
        assert played.events("SuccessfulDelete") == ["Deleted job now"]
        assert status(played.one("CronJob"))["lastSuccessfulTime"]

    def test_of_an_unknown_place_never_begin(self) -> None:
        """Source: cronjob/cronjob_controllerv2.go syncCronJob. An API server takes none such, a scenario does."""
        cron_job = a_cron_job(timeZone="Nowhere/Here", suspend=True)
        played = Played([APPLY], a_job(suspend=True), {**cron_job, "metadata": {"name": "other"}})
        known = [event.message for event in played.player.log.all if event.reason == "UnknownTimeZone"]
        assert known == ['invalid timeZone: "Nowhere/Here": unknown time zone Nowhere/Here']

    def test_of_a_new_schedule_begin_with_its_next_time(self) -> None:
        """Source: cronjob/cronjob_controllerv2.go updateCronJob."""
        steps: list[Step] = [APPLY, 90.0, """kubectl patch cj web -p '{"spec":{"schedule":"* * * * *"}}'"""]
        assert Played(steps, a_cron_job()).names("Job") == []
        assert len(Played([*steps, 60.0], a_cron_job()).names("Job")) == 1


def test_pods_of_a_replication_controller_have_drawn_names() -> None:
    inside = {"replicas": 1, "selector": {"app": "web"}, "template": template("web")}
    given = {"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "web"}, "spec": inside}
    assert Played([APPLY], given).looked["podsCreated"] == ["web-<rand>"]


@pytest.mark.parametrize("of", ["ReplicaSet", "DaemonSet"])
def test_who_would_not_own_its_pods_makes_none(of: str) -> None:
    """An API server takes none such; a scenario may bring one, which must not go on for ever."""
    owner = {**workload(of, "other"), "metadata": {"name": "other"}}
    owner["spec"] = {**owner["spec"], "selector": {"matchLabels": {"app": "another"}}}
    assert Played([APPLY], a_job(suspend=True), owner).names("Pod") == []


def test_a_replica_set_that_was_refused_tries_whenever_it_hears_of_itself() -> None:
    """So its pauses grow, and that the quota has gone is found out late. As measured: `quota-deleted`."""
    steps: list[Step] = [APPLY, READY, "kubectl delete quota q", 12.0]
    of = workload("ReplicaSet", "web", replicas=3)
    assert len(Played(steps, of, QUOTA).names("Pod")) == 2
    assert len(Played([*steps, 30.0], of, QUOTA).names("Pod")) == 3


def test_a_success_counts_while_another_index_pauses() -> None:
    """What has ended is counted by the look that makes pods, and not by one that finds nothing to make.

    Source: job/job_controller.go manageJob, which reports no active pods while it waits, and trackJobStatus.
    """
    wanted = {"completions": 4, "parallelism": 3, "completionMode": "Indexed", "backoffLimitPerIndex": 1}
    one_fails, one_succeeds = ({"kubelet": how, "count": 1} for how in ("fail", "succeed"))
    played = Played([APPLY, READY, one_fails, one_succeeds], a_job(**wanted))
    counted = status(played.one("Job"))
    assert (counted["succeeded"], counted["active"], counted["ready"]) == (1, 2, 1)
