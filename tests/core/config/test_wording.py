"""What v1.36 says of names in words of its own; measured from kube-scheduler v1.34.1 and v1.36.2."""

from typing import Any

import pytest
import yaml

from scheduler_core.config import check
from scheduler_core.releases import V1_34, V1_36

KEY = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' "
    "(e.g. 'example.com/MyName')"
)
LONG = "x" * 64
PREFIX = "p" * 254


def extender(name: str) -> dict[str, Any]:
    return {"extenders": [{"urlPrefix": "http://x", "filterVerb": "f", "managedResources": [{"name": name}]}]}


def fit(name: str) -> dict[str, Any]:
    return {"profiles": [{"pluginConfig": [{"name": "NodeResourcesFit", "args": {"ignoredResources": [name]}}]}]}


@pytest.mark.parametrize(
    ("given", "before", "since"),
    [
        (
            extender("a/b/c"),
            f'extenders[0].managedResources[0].name: Invalid value: "a/b/c": a qualified name {KEY}',
            f'extenders[0].managedResources[0].name: Invalid value: "a/b/c": a valid label key {KEY}',
        ),
        (
            extender(f"example.com/{LONG}"),
            "name part must be no more than 63 characters",
            "name part must be no more than 63 bytes",
        ),
        (
            extender(f"{PREFIX}/x"),
            "prefix part must be no more than 253 characters",
            "prefix part must be no more than 253 bytes",
        ),
        # The plugin itself looks at these.
        (fit("a/b/c"), f"a qualified name {KEY}", f"a valid label key {KEY}"),
    ],
)
def test_names(given: dict[str, Any], before: str, since: str) -> None:
    text = yaml.safe_dump(
        {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", **given}
    )
    for rules, want in ((V1_34, before), (V1_36, since)):
        (error,) = check(text, rules=rules)["errors"]
        assert error.endswith(want)
