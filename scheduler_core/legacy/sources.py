"""Split a text for v1.20.2 into flags and file, which is a Policy, a ConfigMap that holds one, or a configuration.

Lines at the beginning of the text that start with `--` are command-line flags; the rest is the file.
Source (v1.20): cmd/kube-scheduler/app/options, pkg/scheduler/scheduler.go initPolicyFromConfigMap.
"""

from dataclasses import dataclass, field

from kube_objects.shapes import POLICY_KEY
from kube_objects.text.hints import did_you_mean
from kube_objects.text.node import TextNode
from kube_objects.text.problems import Problem
from kube_objects.text.read import node_or_none
from scheduler_core.config.errors import ConfigError
from scheduler_core.config.limits import LIMITS
from scheduler_core.legacy.build import Source

PROVIDER_FLAG, GATES_FLAG = "--algorithm-provider", "--feature-gates"
# Flags that name the file or ConfigMap whose text follows.
_FILE_FLAGS = ("--policy-config-file", "--policy-configmap", "--policy-configmap-namespace", "--config")
_BOOLEANS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


@dataclass(slots=True)
class SplitText:
    """A split text.

    `flags`: (line number, flag, value). `body` is the file's text, which starts after `offset` lines.
    """

    flags: list[tuple[int, str, str]] = field(default_factory=list)
    body: str = ""
    offset: int = 0


def split_text(text: str) -> SplitText:
    """Split a text into flags and file. Raises ConfigError for an unknown flag."""
    parts = SplitText()
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        is_flags = line.lstrip().startswith(("--", "#")) and not line.startswith("---")
        words = line.split("#")[0].split() if is_flags else None
        if words is None and line.strip():
            break
        for word in words or ():
            name, _, value = word.partition("=")
            if name not in (PROVIDER_FLAG, GATES_FLAG, *_FILE_FLAGS):
                hint = did_you_mean(name, (PROVIDER_FLAG, GATES_FLAG, *_FILE_FLAGS))
                text = f"unknown flag: {name}"
                raise ConfigError("decode", [Problem("", None, text, hint, line=number + 1, text=text)])
            parts.flags.append((number, name, value.strip("\"'")))
        parts.offset = number + 1
    else:
        return parts
    parts.body = "".join(lines[parts.offset :])
    return parts


def read_source(text: str) -> Source:
    """Return the options of a text. Raises ConfigError of stage decode for invalid flags."""
    parts = split_text(text)
    provider = next((value for _, flag, value in parts.flags if flag == PROVIDER_FLAG), None)
    gates: dict[str, bool] = {}
    for number, flag, value in parts.flags:
        if flag == GATES_FLAG:
            gates |= _parse_gates_flag(value, number + 1)
    if not parts.body.strip():
        return Source(provider, gates=gates)
    kind = kind_of(parts.body)
    if kind == "ConfigMap":
        return Source(provider, policy=policy_of_config_map(parts.body), gates=gates)
    if kind == "KubeSchedulerConfiguration":
        return Source(provider, config=parts.body, gates=gates)
    return Source(provider, policy=parts.body, gates=gates)


def _parse_gates_flag(value: str, line: int) -> dict[str, bool]:
    gates = {}
    for pair in filter(None, value.split(",")):
        name, _, setting = pair.partition("=")
        if setting.lower() not in _BOOLEANS:
            text = f"invalid value of {name}={setting}, err: must be true or false"
            raise ConfigError("decode", [Problem(GATES_FLAG, None, text, line=line, text=text)])
        gates[name] = _BOOLEANS[setting.lower()]
    return gates


def read_node(text: str) -> TextNode | None:
    """Parse the text; return None if it is invalid, because decoding reports that better."""
    return node_or_none(text, LIMITS)


def kind_of(text: str) -> str:
    """Return the `kind` of a manifest, "" if it has none."""
    return _find_string(read_node(text), "kind")


def api_version_of(text: str) -> str:
    return _find_string(read_node(text), "apiVersion")


def policy_of_config_map(text: str) -> str:
    """Return the Policy in a ConfigMap's `policy.cfg`. Raises ConfigError of stage build if there is none."""
    data = _find_child(read_node(text), "data")
    policy = _find_child(data, POLICY_KEY)
    if policy is None or policy.kind != "string":
        message = f'missing policy config map value at key "{POLICY_KEY}"'
        raise ConfigError("build", [Problem(f"data.{POLICY_KEY}", None, message, text=message)])
    return policy.scalar


def _find_string(node: TextNode | None, key: str) -> str:
    child = _find_child(node, key)
    return child.scalar if child is not None and child.kind == "string" else ""


def _find_child(node: TextNode | None, key: str) -> TextNode | None:
    if node is None:
        return None
    return next((entry.value for entry in reversed(node.entries) if entry.key == key), None)
