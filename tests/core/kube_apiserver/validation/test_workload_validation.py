"""What an API server says to workloads: every cause, in its order. Facts of pkg/apis/apps and batch of v1.36."""

from typing import Any

import pytest

from tests.core.kube_apiserver.refusals import MAIN, Object, told, told_of_change

LABELS = {"app": "web"}
TIME = "2025-06-01T00:00:00Z"
POD_TEMPLATE: Object = {"metadata": {"labels": LABELS}, "spec": {"containers": [MAIN]}}
MATCHED: Object = {"selector": {"matchLabels": LABELS}, "template": POD_TEMPLATE}
UNMATCHED = "`selector` does not match template `labels`"
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}


def workload(**fields: Any) -> Object:
    return {"spec": {**MATCHED, **fields}}


def without_selector() -> Object:
    return {"spec": {"template": POD_TEMPLATE}}


def job(**fields: Any) -> Object:
    template = {**POD_TEMPLATE, "spec": {"containers": [MAIN], "restartPolicy": "Never"}}
    return {"spec": {"template": template, **fields}}


def cron_job(schedule: str, **fields: Any) -> Object:
    return {"spec": {"schedule": schedule, "jobTemplate": job(), **fields}}


CASES: list[tuple[str, str, Object, list[str]]] = [
    (
        "no selector",
        "deployments",
        without_selector(),
        [
            "spec.selector: Required value",
            f'spec.template.metadata.labels: Invalid value: {{"app":"web"}}: {UNMATCHED}',
        ],
    ),
    (
        "no selector",
        "daemonsets",
        without_selector(),
        [f'spec.template.metadata.labels: Invalid value: {{"app":"web"}}: {UNMATCHED}'],
    ),
    (
        "an operator",
        "deployments",
        workload(selector={"matchExpressions": [{"key": "app", "operator": "Is"}]}),
        [
            'spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
            'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Is"}]}: invalid label '
            "selector",
        ],
    ),
    (
        "a strategy",
        "deployments",
        workload(strategy={"type": "BlueGreen"}),
        [
            'spec.strategy: Unsupported value: {"Type":"BlueGreen","RollingUpdate":null}: supported values: '
            '"Recreate", '
            '"RollingUpdate"'
        ],
    ),
    (
        "a restart policy",
        "deployments",
        workload(template={**POD_TEMPLATE, "spec": {"containers": [MAIN], "restartPolicy": "OnFailure"}}),
        ['spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"'],
    ),
    (
        "a strategy",
        "daemonsets",
        workload(updateStrategy={"type": "Recreate"}),
        [
            'spec.updateStrategy: Unsupported value: {"Type":"Recreate","RollingUpdate":null}: supported values: '
            '"RollingUpdate", "OnDelete"'
        ],
    ),
    (
        "as many away as more",
        "daemonsets",
        workload(updateStrategy={"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 0}}),
        ["spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"],
    ),
    (
        "a strategy",
        "statefulsets",
        workload(updateStrategy={"type": "Recreate"}),
        [
            'spec.updateStrategy: Invalid value: {"Type":"Recreate","RollingUpdate":null}: must be '
            "'RollingUpdate' or "
            "'OnDelete'"
        ],
    ),
    (
        "a partition",
        "statefulsets",
        workload(updateStrategy={"rollingUpdate": {"partition": -1}}, ordinals={"start": -1}),
        [
            "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0",
            "spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0",
        ],
    ),
    (
        "a claim that says nothing",
        "statefulsets",
        workload(volumeClaimTemplates=[{"metadata": {"name": "data"}}]),
        [
            "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
            "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
        ],
    ),
    (
        "a mount of a claim",
        "statefulsets",
        workload(
            volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": CLAIM}],
            template={
                **POD_TEMPLATE,
                "spec": {"containers": [{**MAIN, "volumeMounts": [{"name": "data", "mountPath": "/d"}]}]},
            },
        ),
        [],
    ),
    (
        "a selector of one's own",
        "jobs",
        job(selector={"matchLabels": LABELS}),
        ["spec.selector: Invalid value: SELECTOR: `selector` not auto-generated"],
    ),
    (
        "indexes of a job without",
        "jobs",
        job(backoffLimitPerIndex=1),
        ["spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"],
    ),
    (
        "an indexed job without a number",
        "jobs",
        job(completionMode="Indexed", parallelism=2),
        ["spec.completions: Required value: when completion mode is Indexed"],
    ),
    (
        "rules of failure",
        "jobs",
        job(
            podFailurePolicy={
                "rules": [
                    {"action": "Give up", "onExitCodes": {"operator": "In", "values": [2, 0], "containerName": "no"}},
                    {"action": "Ignore"},
                ]
            }
        ),
        [
            'spec.podFailurePolicy.rules[0].action: Unsupported value: "Give up": supported values: "Count", '
            '"FailIndex", '
            '"FailJob", "Ignore"',
            'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "no": must be one of the '
            "container "
            "or initContainer names in the pod template",
            "spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
            "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,0]: must be ordered",
            "spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is "
            "required",
        ],
    ),
    (
        "rules of success",
        "jobs",
        job(
            completionMode="Indexed",
            completions=3,
            successPolicy={"rules": [{"succeededIndexes": "1-5"}, {}, {"succeededCount": 4}]},
        ),
        [
            'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "1-5": error parsing succeededIndexes: '
            "too large "
            'index: "5"',
            "spec.successPolicy.rules[1]: Required value: at least one of succeededCount or succeededIndexes must be "
            "specified",
            "spec.successPolicy.rules[2].succeededCount: Invalid value: 4: must be less than or equal to 3 (the "
            "number of "
            "specified completions)",
        ],
    ),
    (
        "who manages a job",
        "jobs",
        job(managedBy="me"),
        ['spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
    ),
    (
        "a time zone",
        "cronjobs",
        cron_job("0 * * * *", timeZone="Mars/Base"),
        ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
    ),
    (
        "a time zone in the schedule",
        "cronjobs",
        cron_job("TZ=UTC 0 * * * *"),
        [
            'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone '
            "field "
            "instead"
        ],
    ),
]


@pytest.mark.parametrize(
    ("name", "plural", "given", "want"), CASES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_workload_is_refused(name: str, plural: str, given: Object, want: list[str]) -> None:
    found = told(plural, given)
    # The uid of a job is drawn.
    assert [f"{each.split('{')[0]}SELECTOR{each.split('}}')[1]}" if "}}" in each else each for each in found] == want


SCHEDULES: list[tuple[str, str]] = [
    ("*/5 0-3,7 * jan-mar mon", ""),
    ("@every 1h30m", ""),
    ("@hourly", ""),
    ("60 * * * *", "end of range (60) above maximum (59): 60"),
    ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
    ("5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"),
    ("*/0 * * * *", "step of range should be a positive number: */0"),
    ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
    ("*/1/2 * * * *", "too many slashes: */1/2"),
    ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
    ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
    ("@often", "unrecognized descriptor: @often"),
    ("@every day", 'failed to parse duration @every day: time: invalid duration "day"'),
]


@pytest.mark.parametrize(("schedule", "want"), SCHEDULES)
def test_a_schedule_is_read(schedule: str, want: str) -> None:
    found = told("cronjobs", cron_job(schedule))
    assert found == ([f'spec.schedule: Invalid value: "{schedule}": {want}'] if want else [])


COUNTS: list[tuple[str, str, Object, Object, list[str]]] = [
    (
        "more ready than there are",
        "deployments",
        workload(),
        {"replicas": 1, "readyReplicas": 2},
        ["status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"],
    ),
    (
        "more available than ready",
        "statefulsets",
        workload(),
        {"replicas": 1, "availableReplicas": 1},
        ["status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas"],
    ),
    (
        "fewer than none",
        "daemonsets",
        workload(),
        {"numberReady": -1},
        ["status.numberReady: Invalid value: -1: must be greater than or equal to 0"],
    ),
    (
        "complete without more",
        "jobs",
        job(),
        {"conditions": [{"type": "Complete", "status": "True"}]},
        [
            "status.completionTime: Required value: completionTime is required for Complete jobs",
            "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true "
            "condition",
            "status.startTime: Required value: startTime is required for finished job",
        ],
    ),
    (
        "complete in spite of its policy of success",
        "jobs",
        job(completionMode="Indexed", completions=1, successPolicy={"rules": [{"succeededCount": 1}]}),
        {"completionTime": TIME, "startTime": TIME, "conditions": [{"type": "Complete", "status": "True"}]},
        [
            "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true "
            "condition",
            "status.conditions: Invalid value: cannot set Complete=True for Job with SuccessPolicy unless "
            "SuccessCriteriaMet=True",
        ],
    ),
    (
        "a success that failed",
        "jobs",
        job(),
        {"conditions": [{"type": "SuccessCriteriaMet", "status": "True"}, {"type": "FailureTarget", "status": "True"}]},
        ["status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"],
    ),
]


@pytest.mark.parametrize(
    ("name", "plural", "given", "status", "want"), COUNTS, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_status_is_refused(name: str, plural: str, given: Object, status: Object, want: list[str]) -> None:
    assert told_of_change(plural, given, {"status": status}, door="status") == want


def test_a_success_stays() -> None:
    met = {"type": "SuccessCriteriaMet", "status": "True"}
    ended = {"type": "Complete", "status": "True"}
    before = {"startTime": TIME, "completionTime": TIME, "conditions": [met, ended]}
    assert told_of_change("jobs", job(), {"status": {"conditions": [ended]}}, before, door="status") == [
        "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true "
        "condition",
        "status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition",
    ]


def test_labels_that_a_job_gives_its_pods_are_its_own() -> None:
    template = {"metadata": {"labels": {"job-name": "other"}}, "spec": {"restartPolicy": "Never", "containers": [MAIN]}}
    (said,) = told("jobs", {"spec": {"template": template}})
    assert said.startswith("spec.template.metadata.labels[job-name]: Invalid value: {")
    assert said.endswith("}: must be 'web'")


def test_lists_in_which_nothing_is_are_told_as_that() -> None:
    policy = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": []}}]}
    assert told("jobs", job(podFailurePolicy=policy, successPolicy={"rules": []})) == [
        "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is required",
        'spec.successPolicy: Invalid value: {"Rules":[]}: requires indexed completion mode',
    ]


CHANGES: list[tuple[str, str, Object, Object, list[str]]] = [
    ("more at once", "jobs", job(), {"spec": {"parallelism": 3}}, []),
    (
        "another number",
        "jobs",
        job(completions=1),
        {"spec": {"completions": 3}},
        ["spec.completions: Invalid value: 3: field is immutable"],
    ),
    (
        "another number of indexes",
        "jobs",
        job(completionMode="Indexed", completions=2, parallelism=2),
        {"spec": {"completions": 3}},
        ["spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism"],
    ),
    (
        "resources of a job that is held",
        "jobs",
        job(suspend=True),
        {"spec": {"template": {"spec": {"containers": [{**MAIN, "resources": {"requests": {"cpu": "1"}}}]}}}},
        [],
    ),
    (
        "another name of a service",
        "statefulsets",
        workload(serviceName="a"),
        {"spec": {"serviceName": "b"}},
        [
            "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
            "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' "
            "are "
            "forbidden"
        ],
    ),
]


@pytest.mark.parametrize(
    ("name", "plural", "given", "patch", "want"), CHANGES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_change_of_a_workload(name: str, plural: str, given: Object, patch: Object, want: list[str]) -> None:
    assert told_of_change(plural, given, patch) == want
