"""Packed text: small, exact, and readable for ever."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground import packing
from playground.models import Command, NodeEpoch, Record
from playground.packing import pack, unpack
from tests.web import Api, node, pod

# Whoever changes a dictionary makes everything unreadable that was packed with it: add another one instead.
DIGESTS = {
    "dictionary.txt": "2281826f17ba646647734529b288d719e51cfa29508c13f1b72f40efb60347cd",
}


def test_a_dictionary_is_for_ever() -> None:
    folder = Path(packing.__file__).parent
    assert {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("dictionary*.txt")
    } == DIGESTS


@given(st.text())
def test_unpacked_it_is_the_same(text: str) -> None:
    assert unpack(pack(text)) == text
    assert unpack(memoryview(pack(text))) == text


DAMAGED = [
    # name             data
    ("nothing", b""),
    ("another version", b"\x09" + pack("text")[1:]),
    ("no frame", b"\x02text"),
    ("a wrong byte", pack("text" * 100)[:-1] + b"\x00"),
    ("cut off", pack("text" * 100)[:-3]),
]


@pytest.mark.parametrize("data", [c[1] for c in DAMAGED], ids=[c[0] for c in DAMAGED])
def test_what_was_not_packed_here_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        unpack(data)


def test_fields_give_back_what_was_put_in(api: Api) -> None:
    order = {"z": 1, "a": {"c": 2, "b": [None, "é"]}}
    manifest = node("a") | {"metadata": {"name": "a", "annotations": {"order": json.dumps(order)}}}
    cluster = api.cluster([manifest, node("b"), pod("p")])
    api.command(cluster, kind="schedule_one")
    payload = Command.objects.get(cluster_id=cluster, number=1).payload
    assert list(payload["objects"][0]) == list(manifest)
    assert payload["objects"][0] == manifest
    assert NodeEpoch.objects.get(cluster_id=cluster).names == ["a", "b"]
    bodies = list(Record.objects.filter(cluster_id=cluster).order_by("seq").values_list("body", flat=True))
    assert [json.loads(body)["seq"] for body in bodies] == [1, 2]
    record = Record.objects.get(cluster_id=cluster, seq=2)
    assert (record.body, json.loads(record.body)["cycle"]["pod"]) == (bodies[1], "default/p")
    assert len(pack(record.body)) < len(record.body) / 8
