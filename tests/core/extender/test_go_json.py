"""Answers are read as Go's json.Decoder reads them, and refused in its words."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.extender.go_json import UnmarshalError, decode
from scheduler_core.extender.go_types import GoType
from scheduler_core.extender.wire import BINDING_RESULT, FILTER_RESULT, HOST_PRIORITIES, PREEMPTION_RESULT

READ: list[tuple[str, GoType, bytes, Any]] = [
    # name                               type               body                                      want
    ("nothing given", FILTER_RESULT, b"{}", {}),
    ("null", FILTER_RESULT, b"null", {}),
    ("no list", HOST_PRIORITIES, b"null", None),
    ("an empty list", HOST_PRIORITIES, b"[]", []),
    ("spaces before", BINDING_RESULT, b' \n\t{"Error":"x"}', {"Error": "x"}),
    ("more values behind", BINDING_RESULT, b'{"Error":"x"}{"Error":"y"}', {"Error": "x"}),
    ("rubbish behind", BINDING_RESULT, b'{"Error":"x"}<html>', {"Error": "x"}),
    ("lower case", FILTER_RESULT, b'{"nodenames":["a"],"error":"x"}', {"NodeNames": ["a"], "Error": "x"}),
    ("upper case", HOST_PRIORITIES, b'[{"HOST":"a","SCORE":3}]', [{"Host": "a", "Score": 3}]),
    ("Kelvin's k is no letter of ours", BINDING_RESULT, '{"Error":"x","\u212a":1}'.encode(), {"Error": "x"}),
    ("the long s is an s", HOST_PRIORITIES, '[{"Ho\u017ft":"a"}]'.encode(), [{"Host": "a"}]),
    ("unknown fields", BINDING_RESULT, b'{"Err":1,"Error":"x","deep":{"a":[1]}}', {"Error": "x"}),
    ("null where a text belongs", BINDING_RESULT, b'{"Error":null}', {"Error": ""}),
    ("null after a text", BINDING_RESULT, b'{"Error":"x","error":null}', {"Error": "x"}),
    ("null after a list", FILTER_RESULT, b'{"NodeNames":["a"],"nodeNames":null}', {"NodeNames": None}),
    ("twice, the last counts", BINDING_RESULT, b'{"Error":"x","Error":"y"}', {"Error": "y"}),
    ("maps twice are merged", FILTER_RESULT, b'{"FailedNodes":{"a":"1"},"failedNodes":{"b":"2"}}',
     {"FailedNodes": {"a": "1", "b": "2"}}),
    ("null names", FILTER_RESULT, b'{"NodeNames":[null,"a"]}', {"NodeNames": ["", "a"]}),
    ("null elements", HOST_PRIORITIES, b"[null]", [{}]),
    ("null victims", PREEMPTION_RESULT, b'{"NodeNameToMetaVictims":{"n":null}}',
     {"NodeNameToMetaVictims": {"n": None}}),
    ("the largest number", HOST_PRIORITIES, b'[{"Score":9223372036854775807}]', [{"Score": 2**63 - 1}]),
    ("the smallest number", HOST_PRIORITIES, b'[{"Score":-9223372036854775808}]', [{"Score": -(2**63)}]),
    ("half a surrogate pair", BINDING_RESULT, b'{"Error":"\\ud800!"}', {"Error": "\ufffd!"}),
    ("a whole one", BINDING_RESULT, b'{"Error":"\\ud83d\\ude00"}', {"Error": "\U0001f600"}),
    ("bytes that are no UTF-8", BINDING_RESULT, b'{"Error":"\xff"}', {"Error": "\ufffd"}),
]  # fmt: skip
REFUSED: list[tuple[str, GoType, bytes, str]] = [
    ("nothing", FILTER_RESULT, b"", "EOF"),
    ("only spaces", FILTER_RESULT, b" \r\n", "EOF"),
    ("cut off", FILTER_RESULT, b"{", "unexpected EOF"),
    ("cut off in a text", FILTER_RESULT, b'{"Error":"x', "unexpected EOF"),
    ("cut off in a word", FILTER_RESULT, b'{"Error":nul', "unexpected EOF"),
    ("a page", FILTER_RESULT, b"<html>", "invalid character '<' looking for beginning of value"),
    ("a word", FILTER_RESULT, b"no", "invalid character 'o' in literal null (expecting 'u')"),
    ("a mark before", FILTER_RESULT, b"\xef\xbb\xbf{}", "invalid character 'ï' looking for beginning of value"),
    ("no comma", FILTER_RESULT, b'{"a":1 "b":2}', "invalid character '\"' after object key:value pair"),
    ("a key without quotes", FILTER_RESULT, b"{a:1}",
     "invalid character 'a' looking for beginning of object key string"),
    ("a comma too many", FILTER_RESULT, b"[1,]", "invalid character ']' looking for beginning of value"),
    ("a leading zero", FILTER_RESULT, b'{"a":01}', "invalid character '1' after object key:value pair"),
    ("NaN", FILTER_RESULT, b'{"a":NaN}', "invalid character 'N' looking for beginning of value"),
    ("a line break in a text", FILTER_RESULT, b'{"a":"\n"}', "invalid character '\\n' in string literal"),
    ("a list for an object", FILTER_RESULT, b"[]",
     "json: cannot unmarshal array into Go value of type v1.ExtenderFilterResult"),
    ("a text for an object", BINDING_RESULT, b'"x"',
     "json: cannot unmarshal string into Go value of type v1.ExtenderBindingResult"),
    ("a number for an object", FILTER_RESULT, b"5",
     "json: cannot unmarshal number into Go value of type v1.ExtenderFilterResult"),
    ("an object for a list", HOST_PRIORITIES, b"{}",
     "json: cannot unmarshal object into Go value of type v1.HostPriorityList"),
    ("a number for an element", HOST_PRIORITIES, b"[1]",
     "json: cannot unmarshal number into Go value of type v1.HostPriority"),
    ("a text for a score", HOST_PRIORITIES, b'[{"Score":"1"}]',
     "json: cannot unmarshal string into Go struct field HostPriority.Score of type int64"),
    ("half a score", HOST_PRIORITIES, b'[{"Score":1.5}]',
     "json: cannot unmarshal number 1.5 into Go struct field HostPriority.Score of type int64"),
    ("a score in exponents", HOST_PRIORITIES, b'[{"Score":1e1}]',
     "json: cannot unmarshal number 1e1 into Go struct field HostPriority.Score of type int64"),
    ("a score too large", HOST_PRIORITIES, b'[{"Score":9223372036854775808}]',
     "json: cannot unmarshal number 9223372036854775808 into Go struct field HostPriority.Score of type int64"),
    ("true for a text", BINDING_RESULT, b'{"Error":true}',
     "json: cannot unmarshal bool into Go struct field ExtenderBindingResult.Error of type string"),
    ("a text for names", FILTER_RESULT, b'{"NodeNames":"a"}',
     "json: cannot unmarshal string into Go struct field ExtenderFilterResult.NodeNames of type []string"),
    ("a number among names", FILTER_RESULT, b'{"NodeNames":["a",1]}',
     "json: cannot unmarshal number into Go struct field ExtenderFilterResult.NodeNames of type string"),
    ("a list for reasons", FILTER_RESULT, b'{"FailedNodes":["a"]}',
     "json: cannot unmarshal array into Go struct field ExtenderFilterResult.FailedNodes of type v1.FailedNodesMap"),
    ("a list for a NodeList", FILTER_RESULT, b'{"Nodes":[]}',
     "json: cannot unmarshal array into Go struct field ExtenderFilterResult.Nodes of type v1.NodeList"),
    ("a name that is none", FILTER_RESULT, b'{"Nodes":{"items":[{"metadata":{"name":5}}]}}',
     "json: cannot unmarshal number into Go struct field ObjectMeta.Nodes.items.metadata.name of type string"),
    ("a kind that is none", FILTER_RESULT, b'{"Nodes":{"items":[{"kind":5}]}}',
     "json: cannot unmarshal number into Go struct field Node.Nodes.items.TypeMeta.kind of type string"),
    ("an effect that is none", FILTER_RESULT, b'{"Nodes":{"items":[{"spec":{"taints":[{"effect":[]}]}}]}}',
     "json: cannot unmarshal array into Go struct field Taint.Nodes.items.spec.taints.effect of type v1.TaintEffect"),
    ("an amount that is none", FILTER_RESULT, b'{"Nodes":{"items":[{"status":{"allocatable":{"cpu":"lots"}}}]}}',
     "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ("a time that is a number", FILTER_RESULT, b'{"Nodes":{"items":[{"metadata":{"creationTimestamp":5}}]}}',
     "json: cannot unmarshal number into Go struct field ObjectMeta.Nodes.items.metadata.creationTimestamp"
     " of type string"),
    ("a port too large", FILTER_RESULT,
     b'{"Nodes":{"items":[{"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":4294967296}}}}]}}',
     "json: cannot unmarshal number 4294967296 into Go struct field "
     "DaemonEndpoint.Nodes.items.status.daemonEndpoints.kubeletEndpoint.Port of type int32"),
    ("victims by uid alone", PREEMPTION_RESULT, b'{"NodeNameToMetaVictims":{"n":{"Pods":["u"]}}}',
     "json: cannot unmarshal string into Go struct field MetaVictims.NodeNameToMetaVictims.Pods of type v1.MetaPod"),
    ("a list of nodes", PREEMPTION_RESULT, b'{"NodeNameToMetaVictims":[]}',
     "json: cannot unmarshal array into Go struct field ExtenderPreemptionResult.NodeNameToMetaVictims"
     " of type map[string]*v1.MetaVictims"),
    ("the first of several", FILTER_RESULT, b'{"Error":1,"NodeNames":2}',
     "json: cannot unmarshal number into Go struct field ExtenderFilterResult.Error of type string"),
    ("an amount goes before them", FILTER_RESULT,
     b'{"Error":1,"Nodes":{"items":[{"status":{"capacity":{"cpu":true}}}]}}',
     "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ("deeper than anything real", FILTER_RESULT, b"[" * 200_000,
     "the answer is nested more deeply than the playground reads"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "type_", "body", "want"), READ, ids=[case[0] for case in READ])
def test_read(name: str, type_: GoType, body: bytes, want: Any) -> None:
    assert decode(type_, body) == want


@pytest.mark.parametrize(("name", "type_", "body", "want"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refused(name: str, type_: GoType, body: bytes, want: str) -> None:
    with pytest.raises(UnmarshalError) as refused:
        decode(type_, body)
    assert str(refused.value) == want


def test_a_body_that_breaks_off() -> None:
    """What came whole counts, however the rest ended."""
    assert decode(BINDING_RESULT, b'{"Error":"x"}', "reset") == {"Error": "x"}
    with pytest.raises(UnmarshalError, match=r"^reset$"):
        decode(BINDING_RESULT, b'{"Error":"x"', "reset")
    with pytest.raises(UnmarshalError, match=r"^invalid character"):
        decode(BINDING_RESULT, b"{]", "reset")


@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,0123456789eE+-.truefalsnl\\u \n', max_size=40).map(str.encode))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    for type_ in (FILTER_RESULT, HOST_PRIORITIES, PREEMPTION_RESULT, BINDING_RESULT):
        try:
            decode(type_, body)
        except UnmarshalError as error:
            assert str(error)
