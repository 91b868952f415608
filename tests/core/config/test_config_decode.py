"""Decoding errors, word for word as upstream's decoders say them."""

import pytest

from scheduler_core.config import ConfigError
from scheduler_core.config.load import decode as decode_by
from scheduler_core.config.rules import ConfigRules
from scheduler_core.releases import V1_34, V1_36
from tests.config_v1_34 import decode, load

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
JSON_HEAD = '"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration"'
SCHEME = '"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:29"'
META = r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'


def args(plugin: str, text: str) -> str:
    return f"{HEAD}profiles:\n- pluginConfig:\n  - name: {plugin}\n    args: {text}\n"


CASES = [
    # name, text, want
    ("nothing", "", "Object 'Kind' is missing in ''"),
    ("only a comment", "# hi\n", "Object 'Kind' is missing in '# hi\n'"),
    (
        "no apiVersion",
        "kind: KubeSchedulerConfiguration",
        "Object 'apiVersion' is missing in 'kind: KubeSchedulerConfiguration'",
    ),
    (
        "a list",
        "- a",
        f"couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type {META}",
    ),
    (
        "kind is a number",
        "apiVersion: v1\nkind: 3",
        "couldn't get version/kind; json parse error: json: cannot unmarshal number"
        " into Go struct field .kind of type string",
    ),
    ("three parts", "apiVersion: a/b/c\nkind: X", "unexpected GroupVersion string: a/b/c"),
    ("another kind", "apiVersion: v1\nkind: Pod", f'no kind "Pod" is registered for version "v1" in scheme {SCHEME}'),
    (
        "args as the document",
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: NodeAffinityArgs",
        "couldn't decode as KubeSchedulerConfiguration, got kubescheduler.config.k8s.io/v1, Kind=NodeAffinityArgs: ",
    ),
    (
        "wrong type at the top",
        f"{HEAD}parallelism: many",
        "json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration.parallelism of type int32",
    ),
    (
        "wrong type deep inside",
        f"{HEAD}profiles:\n- plugins:\n    score:\n      enabled:\n      - {{name: X, weight: heavy}}",
        "json: cannot unmarshal string into Go struct field Plugin.profiles.plugins.score.enabled.weight of type int32",
    ),
    (
        "an item of the wrong type",
        f"{HEAD}profiles: [3]",
        "json: cannot unmarshal number into Go struct field KubeSchedulerConfiguration.profiles"
        " of type v1.KubeSchedulerProfile",
    ),
    (
        "not a whole number",
        f"{HEAD}parallelism: 1.5",
        "json: cannot unmarshal number 1.5 into Go struct field KubeSchedulerConfiguration.parallelism of type int32",
    ),
    (
        "beyond int32",
        f"{HEAD}parallelism: 2147483648",
        "json: cannot unmarshal number 2147483648 into Go struct field KubeSchedulerConfiguration.parallelism"
        " of type int32",
    ),
    (
        "a list for a mapping",
        f"{HEAD}leaderElection: []",
        "json: cannot unmarshal array into Go struct field KubeSchedulerConfiguration.leaderElection"
        " of type v1alpha1.LeaderElectionConfiguration",
    ),
    (
        "a word that YAML takes for a bool",
        f"{HEAD}profiles:\n- schedulerName: on",
        "json: cannot unmarshal bool into Go struct field KubeSchedulerProfile.profiles.schedulerName of type string",
    ),
    ("a bad duration", f"{HEAD}leaderElection: {{leaseDuration: soon}}", 'time: invalid duration "soon"'),
    (
        "a duration without unit",
        f"{HEAD}leaderElection: {{leaseDuration: '15'}}",
        'time: missing unit in duration "15"',
    ),
    ("a null duration", f"{HEAD}leaderElection: {{leaseDuration: null}}", 'time: invalid duration ""'),
    (
        "a number for a duration",
        f"{HEAD}leaderElection: {{leaseDuration: 15}}",
        "json: cannot unmarshal number into Go struct field LeaderElectionConfiguration.leaderElection.leaseDuration"
        " of type string",
    ),
    (
        "a bad duration stops decoding, a wrong type does not",
        f"{HEAD}extenders: 3\nleaderElection: {{leaseDuration: soon}}",
        'time: invalid duration "soon"',
    ),
    (
        "unknown fields, sorted",
        f"{HEAD}zeta: 1\nalpha: 1",
        'strict decoding error: unknown field "alpha", unknown field "zeta"',
    ),
    (
        "unknown fields inside lists",
        f"{HEAD}extenders:\n- urlPrefix: x\n- tlsConfig: {{ca: x}}",
        'strict decoding error: unknown field "extenders[1].tlsConfig.ca"',
    ),
    ("case matters", f"{HEAD}Parallelism: 1", 'strict decoding error: unknown field "Parallelism"'),
    (
        "keys given twice",
        f"{HEAD}parallelism: 1\nparallelism: 2\nodd: 3",
        'strict decoding error: yaml: unmarshal errors:\n  line 4: key "parallelism" already set in map,'
        ' unknown field "odd"',
    ),
    (
        "a merged key given again",
        f"{HEAD}leaderElection: &a {{resourceName: x}}\nclientConnection: {{<<: *a, resourceName: y}}",
        'strict decoding error: yaml: unmarshal errors:\n  line 4: key "resourceName" already set in map,'
        ' unknown field "clientConnection.resourceName"',
    ),
    (
        "unknown field of args",
        args("NodeResourcesFit", "{bogus: 1}"),
        "strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args for plugin "
        'NodeResourcesFit: strict decoding error: unknown field "bogus"',
    ),
    (
        "wrong type in args",
        args("InterPodAffinity", "{hardPodAffinityWeight: x}"),
        "decoding .profiles[0].pluginConfig[0]: decoding args for plugin InterPodAffinity: json: cannot unmarshal "
        "string into Go struct field InterPodAffinityArgs.hardPodAffinityWeight of type int32",
    ),
    (
        "args are text",
        args("VolumeBinding", "x"),
        "decoding .profiles[0].pluginConfig[0]: decoding args for plugin VolumeBinding: couldn't get version/kind; "
        f"json parse error: json: cannot unmarshal string into Go value of type {META}",
    ),
    (
        "args of another plugin",
        args("VolumeBinding", "{kind: NodeAffinityArgs}"),
        "decoding .profiles[0].pluginConfig[0]: args for plugin VolumeBinding were not of type "
        "VolumeBindingArgs.kubescheduler.config.k8s.io, got NodeAffinityArgs.kubescheduler.config.k8s.io",
    ),
    (
        "args of an old version",
        args("VolumeBinding", "{apiVersion: kubescheduler.config.k8s.io/v1beta3}"),
        "decoding .profiles[0].pluginConfig[0]: decoding args for plugin VolumeBinding: no kind "
        f'"VolumeBindingArgs" is registered for version "kubescheduler.config.k8s.io/v1beta3" in scheme {SCHEME}',
    ),
    ("YAML syntax, first line", "a: b: c", "yaml: mapping values are not allowed in this context"),
    ("YAML syntax, second line", "x:\n  a: b: c\n", "yaml: line 2: mapping values are not allowed in this context"),
    ("YAML indentation", "a:\n  - b\n c: d\n", "yaml: line 2: did not find expected key"),
    ("YAML tab", "a:\n\tb: c\n", "yaml: line 2: found character that cannot start any token"),
    ("YAML without an anchor", "a: *x", "yaml: unknown anchor 'x' referenced"),
    ("YAML biting its tail", "a: &x [*x]", "yaml: anchor 'x' value contains itself"),
    ("YAML control character", "a: \x01", "yaml: control characters are not allowed"),
    (
        "YAML template left unfilled",
        f"{HEAD}parallelism: {{{{ count }}}}",
        'yaml: invalid map key: map[interface {}]interface {}{"count":interface {}(nil)}',
    ),
    ("YAML not a number", f"{HEAD}parallelism: .nan", "json: unsupported value: NaN"),
    (
        "JSON syntax",
        "{a: 1}",
        "couldn't get version/kind; json parse error: invalid character 'a' looking for beginning of object key string",
    ),
    ("JSON cut off", '{"a":', "couldn't get version/kind; json parse error: unexpected end of JSON input"),
    (
        "JSON with more behind it",
        "{} x",
        "couldn't get version/kind; json parse error: invalid character 'x' after top-level value",
    ),
    (
        "JSON, a comma too much",
        '{"a":[1,]}',
        "couldn't get version/kind; json parse error: invalid character ']' looking for beginning of value",
    ),
    (
        "JSON keys given twice",
        f'{{{JSON_HEAD},"parallelism":1,"parallelism":2,"profiles":[{{"schedulerName":"a","schedulerName":"b"}}]}}',
        'strict decoding error: duplicate field "parallelism", duplicate field "profiles[0].schedulerName"',
    ),
]


@pytest.mark.parametrize(("text", "want"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_error(text: str, want: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load(text)
    assert raised.value.texts == [want]
    assert raised.value.stage == "decode"


PROBLEMS = [
    # name, text, (path, line, hint)
    (
        "a typo",
        f"{HEAD}profiles:\n- schedulername: x",
        ("profiles[0].schedulername", 4, 'did you mean "schedulerName"?'),
    ),
    ("nothing near", f"{HEAD}zzz: 1", ("zzz", 3, "")),
    ("twice", f"{HEAD}parallelism: 1\nparallelism: 2", ("", 4, "")),
    ("type", f"{HEAD}profiles: nope", ("profiles", 3, "profiles must be a list")),
    (
        "in args",
        args("NodeResourcesFit", "\n      scoringstrategy: {}"),
        ("profiles[0].pluginConfig[0].args.scoringstrategy", 7, 'did you mean "scoringStrategy"?'),
    ),
    ("syntax", "x:\n  a: b: c\n", ("", 2, "")),
    ("version", "apiVersion: v2\nkind: X", ("apiVersion", 1, "use apiVersion: kubescheduler.config.k8s.io/v1")),
]


@pytest.mark.parametrize(("text", "want"), [case[1:] for case in PROBLEMS], ids=[case[0] for case in PROBLEMS])
def test_problem_is_located(text: str, want: tuple[str, int, str]) -> None:
    with pytest.raises(ConfigError) as raised:
        load(text)
    (problem,) = raised.value.problems
    assert (problem.path, problem.line, problem.hint) == want


ACCEPTED = [
    # name, text after the head, what it sets, to what
    ("octal", "parallelism: 010", "parallelism", 8),
    ("not octal after all", "parallelism: 08", "parallelism", 8),
    ("underscores", "parallelism: 1_000", "parallelism", 1000),
    ("a whole float", "parallelism: 3.0", "parallelism", 3),
    ("an exponent", "parallelism: 1e3", "parallelism", 1000),
    ("yes", "delayCacheUntilActive: yes", "delay_cache_until_active", True),
    ("null is not said", "parallelism: null", "parallelism", 16),
    ("zero is said", "podInitialBackoffSeconds: 0", "pod_initial_backoff_seconds", 0),
    ("only the first document", "parallelism: 2\n---\nparallelism: [", "parallelism", 2),
    ("contention follows profiling", "enableProfiling: true", "enable_contention_profiling", True),
    ("contention without profiling", "enableProfiling: false", "enable_contention_profiling", False),
]


@pytest.mark.parametrize(("text", "field", "want"), [case[1:] for case in ACCEPTED], ids=[case[0] for case in ACCEPTED])
def test_accepted(text: str, field: str, want: object) -> None:
    assert getattr(decode(HEAD + text).config, field) == want


def test_json_args_of_unknown_plugins_stay_as_written() -> None:
    text = f'{{{JSON_HEAD},"profiles":[{{"pluginConfig":[{{"name":"Mine","args":{{"b": 1.50, "a": "<"}}}}]}}]}}'
    args = decode(text).config.profiles[0].plugin_args["Mine"]
    assert args is not None
    assert repr(args) == """RawArgs(text='{"b": 1.50, "a": "<"}')"""


def test_yaml_args_of_unknown_plugins_are_rewritten() -> None:
    args = decode(f"{HEAD}profiles:\n- pluginConfig:\n  - name: Mine\n    args: {{b: 1.50, a: <}}")
    assert repr(args.config.profiles[0].plugin_args["Mine"]) == r"""RawArgs(text='{"a":"\\u003c","b":1.5}')"""


# release, how it names the field; measured from the v1.36 decoder
EMBEDDED = [(V1_34, "enableProfiling"), (V1_36, "DebuggingConfiguration.enableProfiling")]


@pytest.mark.parametrize(("rules", "named"), EMBEDDED, ids=["v1.34", "v1.36"])
def test_a_field_of_an_embedded_struct(rules: ConfigRules, named: str) -> None:
    with pytest.raises(ConfigError) as refused:
        decode_by(f"{HEAD}enableProfiling: 1", rules)
    [problem] = refused.value.problems
    want = f"json: cannot unmarshal number into Go struct field KubeSchedulerConfiguration.{named} of type bool"
    assert (problem.path, problem.text) == ("enableProfiling", want)
