"""Validation and build errors, word for word and in upstream's order."""

import pytest

from scheduler_core.config import ConfigError
from tests.config_v1_34 import check, load

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
NAME_RULE = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def profile(text: str) -> str:
    return f"{HEAD}profiles: [{{{text}}}]"


def args(plugin: str, text: str) -> str:
    return profile(f"pluginConfig: [{{name: {plugin}, args: {text}}}]")


def affinity(requirement: str, kind: str = "matchExpressions") -> str:
    required = f"requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{{kind}: [{requirement}]}}]}}"
    return args("NodeAffinity", f"{{addedAffinity: {{{required}}}}}")


ARGS = "profiles[0].pluginConfig[0].args"
TERM = f"{ARGS}.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]"
OPERATORS = '"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"'

VALIDATE = [
    # name, text, want
    (
        "in upstream's order",
        f"{HEAD}parallelism: 0\nclientConnection: {{burst: -1}}\npercentageOfNodesToScore: 200\n"
        "podInitialBackoffSeconds: 5\npodMaxBackoffSeconds: 4\nprofiles: [{percentageOfNodesToScore: -1}]",
        [
            "clientConnection.burst: Invalid value: -1: must be non-negative",
            "parallelism: Invalid value: 0: should be an integer value greater than zero",
            "profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]",
            "percentageOfNodesToScore: Invalid value: 200: not in valid range [0-100]",
            "podMaxBackoffSeconds: Invalid value: 4: must be greater than or equal to PodInitialBackoffSeconds",
        ],
    ),
    (
        "leader election",
        f"{HEAD}leaderElection:\n"
        "  {leaseDuration: -1s, renewDeadline: 1m30s, retryPeriod: -5ms, resourceLock: endpoints}",
        [
            'leaderElection.leaseDuration: Invalid value: "-1s": must be greater than zero',
            'leaderElection.retryPeriod: Invalid value: "-5ms": must be greater than zero',
            'leaderElection.leaseDuration: Invalid value: "1m30s": must be greater than `RenewDeadline`',
            'leaderElection.resourceLock: Invalid value: "endpoints": resourceLock value must be "leases"',
        ],
    ),
    (
        "names of several profiles",
        f"{HEAD}profiles: [{{schedulerName: a}}, {{}}, {{schedulerName: a}}]",
        ["profiles[1].schedulerName: Required value", "profiles[2].schedulerName: Duplicate value: {}"],
    ),
    (
        "removed plugins",
        profile("plugins: {filter: {enabled: [{name: EBSLimits}]}}, pluginConfig: [{name: CinderLimits}]"),
        [
            'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "v1" '
            '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
            'profiles[0].pluginConfig[0]: Invalid value: "CinderLimits": was invalid in version "v1" '
            '(KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
        ],
    ),
    (
        "args given twice",
        profile("pluginConfig: [{name: VolumeBinding}, {name: VolumeBinding}]"),
        ['profiles[0].pluginConfig[1]: Duplicate value: "VolumeBinding"'],
    ),
    (
        "a name that only upstream's table knows",
        args("NodeResourcesFitArgs", "{a: [1, <x>]}"),
        [f'{ARGS}: Invalid value: {{"a":[1,"\\u003cx\\u003e"]}}: has to match plugin args'],
    ),
    (
        "the same, without args",
        profile("pluginConfig: [{name: NodeResourcesFitArgs}]"),
        [f"{ARGS}: Invalid value: null: has to match plugin args"],
    ),
    (
        "preemption both zero",
        args("DefaultPreemption", "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}"),
        [
            f"{ARGS}.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as "
            "minCandidateNodesAbsolute",
            f"{ARGS}.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as "
            "minCandidateNodesPercentage",
        ],
    ),
    (
        "filter timeout",
        args("DynamicResources", "{filterTimeout: -1s}"),
        [f'{ARGS}.filterTimeout: Invalid value: "-1s": must be zero or positive'],
    ),
    (
        "bind timeout and shape",
        args("VolumeBinding", "{bindTimeoutSeconds: -1, shape: []}"),
        [
            f"{ARGS}.bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value",
            f"{ARGS}.shape: Invalid value: []: unexpected field `shape`, remove it or turn on the feature gate "
            "StorageCapacityScoring",
        ],
    ),
    (
        "defaulting type",
        args("PodTopologySpread", "{defaultingType: Lost}"),
        [f'{ARGS}.defaultingType: Unsupported value: "Lost": supported values: "System", "List"'],
    ),
    (
        "spread constraint",
        args(
            "PodTopologySpread",
            "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: '', whenUnsatisfiable: Never}]}",
        ),
        [
            f"{ARGS}.defaultConstraints[0].topologyKey: Required value: can not be empty",
            f'{ARGS}.defaultConstraints[0].whenUnsatisfiable: Unsupported value: "Never": '
            'supported values: "DoNotSchedule", "ScheduleAnyway"',
        ],
    ),
    (
        "operator",
        affinity("{key: a, operator: in}"),
        [f'{TERM}.matchExpressions[0].operator: Unsupported value: "in": supported values: {OPERATORS}'],
    ),
    (
        "no values, given empty",
        affinity("{key: a, operator: In, values: []}"),
        [
            f"{TERM}.matchExpressions[0].values: Invalid value: []: "
            "for 'in', 'notin' operators, values set can't be empty"
        ],
    ),
    (
        "values that should not be",
        affinity("{key: a, operator: Exists, values: [b]}"),
        [
            f'{TERM}.matchExpressions[0].values: Invalid value: ["b"]: '
            "values set must be empty for exists and does not exist"
        ],
    ),
    (
        "greater than what",
        affinity("{key: a, operator: Gt, values: [x, '-1']}"),
        [
            f'{TERM}.matchExpressions[0].values: Invalid value: ["x","-1"]: '
            "for 'Gt', 'Lt' operators, exactly one value is required",
            f'{TERM}.matchExpressions[0].values[0]: Invalid value: "x": '
            "for 'Gt', 'Lt' operators, the value must be an integer",
            f'{TERM}.matchExpressions[0].values[1][a]: Invalid value: "-1": {LABEL_RULE}',
        ],
    ),
    (
        "one field, one value",
        affinity("{key: metadata.name, operator: In, values: [a, b]}", "matchFields"),
        [f'{TERM}.matchFields[0].values: Invalid value: ["a","b"]: must have one element'],
    ),
    (
        "field operator",
        affinity("{key: metadata.name, operator: Exists}", "matchFields"),
        [f'{TERM}.matchFields[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn"'],
    ),
    (
        "managed resources",
        f"{HEAD}extenders:\n- urlPrefix: x\n"
        "  managedResources: [{name: cpu}, {name: a b}, {name: x.io/y}, {name: x.io/y}]",
        [
            'extenders[0].managedResources[0].name: Invalid value: "cpu": is an invalid extended resource name',
            f'extenders[0].managedResources[1].name: Invalid value: "a b": {NAME_RULE}',
            'extenders[0].managedResources[3].name: Invalid value: "x.io/y": duplicate extender managed resource name',
        ],
    ),
    (
        "args of the queue sort plugin differ",
        f"{HEAD}profiles:\n"
        "- {schedulerName: a, plugins: &mine {queueSort: {enabled: [{name: Mine}]}},"
        " pluginConfig: [{name: Mine, args: {b: 1}}]}\n"
        "- {schedulerName: b, plugins: *mine, pluginConfig: [{name: Mine, args: {b: 2}}]}\n",
        ['profiles[1].pluginConfig.args: Invalid value: {"b":2}: queueSort must be the same for all profiles'],
    ),
]


@pytest.mark.parametrize(("text", "want"), [case[1:] for case in VALIDATE], ids=[case[0] for case in VALIDATE])
def test_validation(text: str, want: list[str]) -> None:
    answer = check(text)
    assert answer["errors"] == want
    assert answer["stage"] == "validate"


MAKING = "initializing profiles: creating profile for scheduler name default-scheduler: "
ALL_POINTS = (
    "preEnqueue", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit", "preBind", "postBind",
)  # fmt: skip
EVERYTHING_OFF = ", ".join(f"{point}: {{disabled: [{{name: '*'}}]}}" for point in ALL_POINTS)

BUILD = [
    # name, text, want, (path, line, hint)
    (
        "an unknown plugin",
        f"{HEAD}profiles:\n- plugins:\n    score:\n      enabled:\n      - name: NodeResourceFit",
        f'{MAKING}ScorePlugin "NodeResourceFit" does not exist',
        ("profiles[0].plugins.score.enabled[0]", 7, 'did you mean "NodeResourcesFit"?'),
    ),
    (
        "an unknown plugin at all points",
        profile("plugins: {multiPoint: {enabled: [{name: Zzz}]}}"),
        f'{MAKING}PreFilterPlugin "Zzz" does not exist',
        ("profiles[0].plugins.multiPoint.enabled[19]", 3, ""),
    ),
    (
        "a plugin at the wrong point",
        profile("plugins: {permit: {enabled: [{name: NodeName}]}}"),
        f'{MAKING}plugin "NodeName" does not extend PermitPlugin plugin',
        ("profiles[0].plugins.permit.enabled[0]", 3, "its extension points: filter"),
    ),
    (
        "a plugin twice",
        profile("plugins: {filter: {enabled: [{name: NodeName}, {name: NodeName}]}}"),
        f'{MAKING}plugin "NodeName" already registered as "FilterPlugin"',
        ("profiles[0].plugins.filter.enabled[1]", 3, "it is enabled twice"),
    ),
    (
        "the scoring strategy that crashes",
        args("NodeResourcesFit", "{scoringStrategy: {type: RequestedToCapacityRatio}}"),
        "panic: runtime error: invalid memory address or nil pointer dereference",
        (
            f"{ARGS}.scoringStrategy",
            3,
            "RequestedToCapacityRatio needs requestedToCapacityRatio.shape; without it the real kube-scheduler crashes",
        ),
    ),
    (
        "the unknown plugin that crashes",
        profile(
            "plugins: {multiPoint: {disabled: [{name: '*'}], enabled: [{name: Zzz}]}, "
            "queueSort: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}]}, "
            f"bind: {{disabled: [{{name: '*'}}], enabled: [{{name: DefaultBinder}}]}}, {EVERYTHING_OFF}}}"
        ),
        "panic: runtime error: invalid memory address or nil pointer dereference",
        ("profiles[0].plugins.multiPoint", 3, 'plugin "Zzz" does not exist'),
    ),
    (
        "an extender's resources without NodeResourcesFit",
        f"{HEAD}extenders: [{{urlPrefix: x, managedResources: [{{name: x.io/y, ignoredByScheduler: true}}]}}]\n"
        "profiles: [{plugins: {multiPoint: {disabled: [{name: NodeResourcesFit}]}}}]",
        "couldn't build extenders: can't find NodeResourcesFitArgs in plugin config",
        ("profiles[0].pluginConfig", 4, "an extender's ignoredByScheduler needs NodeResourcesFit in every profile"),
    ),
    (
        "a root certificate and no verification",
        f"{HEAD}extenders: [{{urlPrefix: x, tlsConfig: {{insecure: true, caFile: /x}}}}]",
        "couldn't build extenders: specifying a root certificates file with the insecure flag is not allowed",
        ("extenders[0].tlsConfig", 3, ""),
    ),
    (
        "a shape out of order",
        args(
            "NodeResourcesFit",
            "{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: "
            "[{utilization: 5, score: 1}, {utilization: 5, score: 1}]}}}",
        ),
        f'{MAKING}initializing plugin "NodeResourcesFit": scoringStrategy.shape[1].utilization: Invalid value: 5: '
        "values must be sorted in increasing order",
        (f"{ARGS}.scoringStrategy.shape[1].utilization", 3, ""),
    ),
]


@pytest.mark.parametrize(("text", "want", "where"), [case[1:] for case in BUILD], ids=[case[0] for case in BUILD])
def test_build(text: str, want: str, where: tuple[str, int, str]) -> None:
    with pytest.raises(ConfigError) as raised:
        load(text)
    assert raised.value.texts == [want]
    (problem,) = raised.value.problems
    assert (problem.path, problem.line, problem.hint) == where
    assert raised.value.stage == ("panic" if want.startswith("panic") else "build")


def test_problems_have_lines() -> None:
    entry = "{name: InterPodAffinity, args: {\n    hardPodAffinityWeight: 101}}"
    text = f"parallelism: 0\nprofiles:\n- pluginConfig:\n  - {entry}"
    with pytest.raises(ConfigError) as raised:
        load(HEAD + text)
    assert [(problem.path, problem.line) for problem in raised.value.problems] == [
        ("parallelism", 3),
        (f"{ARGS}.hardPodAffinityWeight", 7),
    ]
