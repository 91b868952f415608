"""Cases of upstream's own table tests, transcribed as facts: what is given, what is wanted. One test a family.

`upstream_tables.json` names the file and the function of each; tables/README.md lists omissions.
"""

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kube_controllers.api import Api
from kube_controllers.contract import EmitEvent, Notes, PutObject, RemoveObject
from kube_controllers.cron_job.cron_job_controller import CronJobController
from kube_controllers.cron_job.schedule_times import most_recent_schedule_time, next_check
from kube_controllers.deployment import rolling, util
from kube_controllers.deployment.rollout import Rollout
from kube_controllers.job import indexes, pod_failures
from kube_controllers.job.index_sets import IndexSet
from kube_controllers.objects import Objects, View
from kube_controllers.stateful_set.stateful_pods import max_unavailable as stateful_max_unavailable
from kube_objects.manifests import format_time, kind, uid
from kube_objects.taints import as_tolerations, min_toleration_time
from kube_objects.text.cron import parse

CASES = json.loads((Path(__file__).parent / "upstream_tables.json").read_text())
HOUR_BEFORE = 1463651940.0  # justBeforeTheHour


def deployment(replicas: int, surge: Any = 0, unavailable: Any = 0, strategy: str = "RollingUpdate") -> dict[str, Any]:
    fences = {"maxSurge": surge, "maxUnavailable": unavailable}
    found: dict[str, Any] = {"type": strategy} | ({"rollingUpdate": fences} if strategy == "RollingUpdate" else {})
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "foo", "namespace": "default", "uid": "foo"},
        "spec": {"replicas": replicas, "strategy": found, "template": {"metadata": {"labels": {"v": "new"}}}},
        "status": {},
    }


def replica_set(named: str, replicas: int, available: int = 0) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": named, "namespace": "default", "uid": named},
        "spec": {"replicas": replicas, "template": {"metadata": {"labels": {"v": named}}}},
        "status": {"availableReplicas": available},
    }


def view_of(*found: dict[str, Any], now: float = 0.0) -> View:
    objects = Objects()
    for obj in found:
        objects.put(obj)
    return View(objects, now, random.Random(0))


def rollout(owner: dict[str, Any], *found: dict[str, Any]) -> Rollout:
    return Rollout(owner, found, Api(view_of(owner, *found)), Notes())


def resolve_fenceposts(given: Any) -> Any:
    return list(util.resolve_fenceposts(given["maxSurge"], given["maxUnavailable"], given["desired"]))


def max_unavailable(given: Any) -> Any:
    return util.max_unavailable(deployment(given["replicas"], 1, given["maxUnavailable"], given["strategy"]))


def min_available(given: Any) -> Any:
    return util.min_available(deployment(given["replicas"], 1, given["maxUnavailable"], given["strategy"]))


def new_replicas(given: Any) -> Any:
    """Beside the new replica set, which is not counted, there is one of five."""
    owner = deployment(given["replicas"], given["maxSurge"], 1, given["strategy"])
    return util.new_replicas(owner, [replica_set("old", 5)], given["new"])


def is_complete(given: Any) -> Any:
    owner = deployment(given["desired"], given["maxSurge"], given["maxUnavailable"])
    return util.is_complete(owner, {**given, "observedGeneration": 1})


def is_progressing(given: Any) -> Any:
    return util.is_progressing({**deployment(1), "status": given["status"]}, given["new"])


def scale_up_new(given: Any) -> Any:
    owner = deployment(given["deploymentReplicas"], given["maxSurge"])
    step = rollout(owner, replica_set("new", given["newReplicas"]), replica_set("old", given["oldReplicas"]))
    scaled = rolling.scale_up_new(step)
    assert step.new is not None
    return {"scaleExpected": scaled} | ({"expectedNewReplicas": util.replicas(step.new)} if scaled else {})


def scale_down_old(given: Any) -> Any:
    owner = deployment(given["deploymentReplicas"], 0, given["maxUnavailable"])
    new = replica_set("new", given["newReplicas"], given.get("readyPodsFromNewRS", 0))
    old = replica_set("old", given["oldReplicas"], given.get("readyPodsFromOldRS", 0))
    return {"scaleExpected": rolling.scale_down_old(rollout(owner, new, old))}


def clean_up_unhealthy(given: Any) -> Any:
    step = rollout(deployment(10, 2, 2), replica_set("old", given["oldReplicas"], given["readyPods"]))
    return {"cleanupCountExpected": rolling.clean_up_unhealthy(step, given["maxCleanupCount"])}


def scale_down_available(given: Any) -> Any:
    owner = deployment(given["deploymentReplicas"], 0, given["maxUnavailable"])
    step = rollout(owner, replica_set("old", given["oldReplicas"], given["readyPods"]))
    least, counted = util.replicas(owner) - util.max_unavailable(owner), {uid(one) for one in step.old}
    scaled = rolling.scale_down_available(step, least, counted)
    return {"scaleExpected": scaled > 0} | ({"expectedOldReplicas": util.replicas(step.old[0])} if scaled > 0 else {})


def first_pending(given: Any) -> Any:
    return indexes.first_pending_indexes(
        given["count"], given["completions"], IndexSet.of([*given["active"], *given["succeeded"]])
    )


def match_policy(given: Any) -> Any:
    found = pod_failures.match_policy(given["policy"], given["pod"])
    return {"message": found.message, "counts": found.counts}


def set_max_unavailable(given: Any) -> Any:
    asked = {"replicas": given["replicas"], "updateStrategy": {"rollingUpdate": {}}}
    if given["maxUnavailable"] is not None:
        asked["updateStrategy"]["rollingUpdate"]["maxUnavailable"] = given["maxUnavailable"]
    return stateful_max_unavailable({"spec": asked})


def sync_cron_job(given: Any) -> Any:
    """As upstream's test sets it up: a CronJob that ran before or not, and the job that it made then."""
    created = given["created"] or (HOUR_BEFORE - 3600 if given["ranPreviously"] else HOUR_BEFORE)
    asked = {"schedule": given["schedule"], "concurrencyPolicy": given["policy"], "suspend": given["suspend"]}
    asked |= {"jobTemplate": {"spec": {"template": {"spec": {"containers": []}}}}, "timeZone": given.get("zone")}
    if given["deadline"] is not None:
        asked["startingDeadlineSeconds"] = given["deadline"]
    about = {"name": "mycronjob", "namespace": "snazzycats", "uid": "1a2b3c", "creationTimestamp": format_time(created)}
    owner: dict[str, Any] = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": about,
        "spec": asked,
        "status": {},
    }
    found = [owner]
    if given["ranPreviously"]:
        found.append(_job_of(owner, given))
    outcome = CronJobController().reconcile(owner, view_of(*found, now=given["now"]))
    told = [change for change in outcome.changes if isinstance(change, EmitEvent)]
    jobs = [change for change in outcome.changes if not isinstance(change, EmitEvent) and kind(change.obj) == "Job"]
    written = [one.obj for one in outcome.changes if isinstance(one, PutObject) and kind(one.obj) == "CronJob"]
    last = written[-1] if written else owner
    return {
        "expectCreate": any(isinstance(change, PutObject) for change in jobs),
        "expectDelete": any(isinstance(change, RemoveObject) for change in jobs),
        "expectCompleted": any(one.reason == "SawCompletedJob" for one in told),
        "active": len(last["status"].get("active") or ()),
        "warnings": sum(one.type == "Warning" for one in told),
        "requeue": None if outcome.requeue_at is None else round(outcome.requeue_at - given["now"], 1),
    }


def _job_of(owner: dict[str, Any], given: Any) -> dict[str, Any]:
    reference = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "mycronjob", "uid": "1a2b3c", "controller": True}
    named = f"mycronjob-{int(given['jobCreated']) // 60}"
    about = {"name": named, "namespace": "snazzycats", "uid": "1234", "ownerReferences": [reference]}
    job: dict[str, Any] = {"apiVersion": "batch/v1", "kind": "Job", "metadata": about, "spec": {}, "status": {}}
    owner["status"]["lastScheduleTime"] = format_time(given["last"] or HOUR_BEFORE - 3480)
    if given["jobPresentInCJActiveStatus"]:
        owner["status"]["active"] = [{"kind": "Job", "name": named, "namespace": "snazzycats", "uid": "1234"}]
    if not given["stillActive"]:
        job["status"] = {
            "completionTime": format_time(given["jobCreated"] + 10),
            "conditions": [{"type": "Complete", "status": "True"}],
        }
    return job


def _cron_job(given: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"metadata": {"creationTimestamp": format_time(given["created"])}, "spec": {}, "status": {}}
    if given["deadline"] is not None:
        found["spec"]["startingDeadlineSeconds"] = given["deadline"]
    if given["last"] is not None:
        found["status"]["lastScheduleTime"] = format_time(given["last"])
    return found


def recent(given: Any) -> Any:
    try:
        found = most_recent_schedule_time(
            _cron_job(given), given["now"], parse(given["schedule"]), given["withDeadline"]
        )
    except ValueError:
        # Upstream returns no time together with the error.
        return {"recent": None}
    return {"recent": found.recent, "earliest": found.earliest}


def next_time(given: Any) -> Any:
    at = next_check(_cron_job(given), given["now"], parse(given["schedule"]))
    return None if at is None else round(at - given["now"], 1)


FAMILIES: Mapping[str, Callable[[Any], Any]] = {
    "resolve_fenceposts": resolve_fenceposts,
    "max_unavailable": max_unavailable,
    "min_available": min_available,
    "new_replicas": new_replicas,
    "is_complete": is_complete,
    "is_progressing": is_progressing,
    "scale_up_new": scale_up_new,
    "scale_down_old": scale_down_old,
    "clean_up_unhealthy": clean_up_unhealthy,
    "scale_down_available": scale_down_available,
    "first_pending": first_pending,
    "match_policy": match_policy,
    "stateful_max_unavailable": set_max_unavailable,
    "min_toleration_time": lambda given: min_toleration_time(as_tolerations(given)),
    "sync_cron_job": sync_cron_job,
    "most_recent": recent,
    "next_look": next_time,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_upstreams_cases(family: str) -> None:
    wrong = []
    for case in CASES:
        if case["family"] != family:
            continue
        found, wanted = FAMILIES[family](case["given"]), case["wanted"]
        if isinstance(wanted, dict) and isinstance(found, dict):
            wanted = {key: value for key, value in wanted.items() if key in found}
            found = {key: value for key, value in found.items() if key in wanted}
        if found != wanted:
            wrong.append((case["name"], found, wanted))
    assert wrong == []


def test_every_case_has_a_family() -> None:
    assert {case["family"] for case in CASES} == set(FAMILIES)
    assert len(CASES) == 175
