"""What is written is read as the same: by Python, by both of Go's libraries, by ourselves."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kube_objects.documents import read_documents
from kube_objects.text.limits import Limits
from kube_objects.text.yaml_values import read_yaml
from kube_objects.text.yaml_writer import dump_yaml
from scheduler_core.config import export_yaml
from tests.config_v1_34 import default_configuration, load
from tests.core.objects.go_yaml import kind_of, scalars

# name, text, what v2 and v3 take it for
GO = [
    ("08", "float", "float"),
    ("6e8", "float", "float"),
    ("1e3", "float", "float"),
    ("0o17", "int", "int"),
    ("-0o17", "int", "int"),
    ("0o18", "str", "str"),
    ("010", "int", "int"),
    ("0x1F", "int", "int"),
    ("1_000", "int", "int"),
    ("y", "bool", "str"),
    ("N", "bool", "str"),
    ("off", "bool", "str"),
    ("True", "bool", "bool"),
    ("~", "null", "null"),
    ("+.inf", "float", "float"),
    (".5", "float", "float"),
    ("1e400", "str", "str"),
    ("18446744073709551615", "int", "int"),
    ("18446744073709551616", "float", "float"),
    ("2001-1-2", "timestamp", "timestamp"),
    ("2001-13-40", "str", "str"),
    ("12:30:45", "str", "str"),
    ("yes sir", "str", "str"),
    ("v1.34", "str", "str"),
]


@pytest.mark.parametrize(("text", "v2", "v3"), GO, ids=[case[0] for case in GO])
def test_the_rules_of_go(text: str, v2: str, v3: str) -> None:
    assert (kind_of(text, 2), kind_of(text, 3)) == (v2, v3)


# Texts that are nearly something else, and any text at all.
NEARLY = st.one_of(
    st.sampled_from([case[0] for case in GO]),
    st.from_regex(r"\A[-+]?(0[xXbBoO]?)?[0-9a-fA-F_]{1,8}(\.[0-9_]*)?([eE][-+]?[0-9]{1,3})?\Z"),
    st.from_regex(r"\A[0-9]{1,4}([-:][0-9]{1,2}){1,3}([Tt ][0-9]{1,2}:[0-9]{2}(:[0-9]{2})?Z?)?\Z"),
    st.from_regex(r"\A[-+]?\.?(inf|Inf|INF|nan|NaN|NAN)\Z"),
    st.from_regex(r"\A[yYnNtTfFoO~=<][a-zA-Z<]{0,4}\Z"),
    st.text(alphabet=" \t\n\r:#-?!&*|>'\"%@`{}[],=\\~a0\u0085\u2028\ufeff\x00\x7fé😀", max_size=8),
)
TEXTS = st.one_of(st.text(max_size=40), NEARLY)


@settings(max_examples=500, deadline=None)
@given(text=TEXTS, key=TEXTS)
@example(text="08", key="y")
@example(text="0o17", key="N")
@example(text="a\n\n b \n", key=" lead")
@example(text="x" * 200 + " " + "y" * 200, key="k" * 200)
def test_every_text_is_read_as_it_was(text: str, key: str) -> None:
    data = {key: text, "list": [text, {"in": text}]}
    written = dump_yaml(data)
    assert yaml.safe_load(written) == data
    (document,) = read_yaml(written, Limits())
    assert document.value == data
    for version in (2, 3):
        found = list(scalars(written, version))
        assert all(kind == "str" for kind, _ in found), (version, written, found)
        assert [said for _, said in found][:2] == [key, text]


@settings(max_examples=200, deadline=None)
@given(data=st.dictionaries(st.from_regex(r"\A[-._a-zA-Z0-9]{1,20}\Z"), TEXTS, max_size=5))
def test_the_data_of_a_config_map_comes_back(data: dict[str, str]) -> None:
    manifest = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "labels": {"n": "1e3"}},
        "data": data,
    }
    read = read_documents(dump_yaml({"apiVersion": "v1", "kind": "List", "items": [manifest]}))
    assert read.problems == []
    assert [dict(obj.manifest) for obj in read.objects] == [manifest]


def test_a_gpu_nodes_labels_come_back() -> None:
    labels = {
        "nvidia.com/gpu.compute.minor": "08",
        "feature.node/commit": "6e8",
        "nvidia.com/mig.capable": "n",
        "b": "0o17",
    }
    node: Any = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-0", "labels": labels}}
    read = read_documents(dump_yaml(node))
    assert (read.problems, read.objects[0].labels) == ([], labels)


@settings(max_examples=150, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=8,
    )
)
def test_other_values_stay_what_they_are(value: Any) -> None:
    written = dump_yaml({"value": value})
    assert yaml.safe_load(written) == {"value": value}
    (document,) = read_yaml(written, Limits())
    assert json.dumps(document.value, sort_keys=True) == json.dumps({"value": value}, sort_keys=True)


def test_a_configuration_is_written_by_the_same_rules() -> None:
    config = default_configuration()
    assert load(export_yaml(config)) == config
