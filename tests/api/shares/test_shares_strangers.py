"""What comes as a link from strangers: read with limits, and refused with all that is wrong."""

import base64
import json
from typing import Any

import pytest

from playground.models import Cluster
from simulator.exchange import share_file
from tests.share_links import EXTENDER, Guest, document, folded
from tests.web import Api

BOMB = folded(b" " * (40 * 1024 * 1024))
GOOD = folded(document())
MALFORMED: list[tuple[str, str, str]] = [
    # name                    link                                          in the answer
    ("nothing", "x", 'must begin with \\"1.\\"'),
    ("another version", "2." + GOOD[2:], "newer playground"),
    ("no version", GOOD[2:], 'must begin with \\"1.\\"'),
    ("other characters", "1.a+b/c=", "characters that a link cannot have"),
    ("a slash and dots", "1.../../etc/passwd", "characters that a link cannot have"),
    ("not base64", "1.abcde", "is damaged"),
    ("not deflate", "1." + "A" * 40, "is damaged"),
    ("cut off", GOOD[:-8], "is damaged"),
    (
        "extra data follows it",
        "1." + base64.urlsafe_b64encode(base64.urlsafe_b64decode(GOOD[2:] + "==") + b"x" * 9).decode(),
        "",
    ),
    ("not UTF-8", folded(b"\xff\xfe"), "UTF-8"),
    ("not JSON", folded(b"{"), "must be JSON"),
    ("a list", folded([]), "must be an object"),
    ("deep", folded(b"[" * 50_000 + b"]" * 50_000), "nested"),
    ("NaN", folded(b'{"share": NaN}'), "no JSON number"),
    ("a zero character", folded(document(title="a\0b")), "zero characters"),
    ("half a character", folded(document(title="\ud800")), "UTF-8"),
    ("another field", folded(document(extra=1)), "is not a field of a shared snapshot"),
    ("share of tomorrow", folded(document(share=2)), "share"),
    ("share true", folded(document(share=True)), "share"),
    ("trace of tomorrow", folded(document(trace=99)), "newer playground"),
    ("trace 0", folded(document(trace=0)), "must be 1"),
    ("no trace", folded({"share": 1}), "must be 1"),
    ("a long title", folded(document(title="x" * 101)), "at most 100 characters"),
    ("a title of numbers", folded(document(title=7)), "must be a string"),
    ("no scenario", folded({"share": 1, "trace": 1}), "scenario"),
    ("a scenario of text", folded(document(scenario="x")), "must be an object"),
    ("a cursor of text", folded(document(cursor="x")), "cursor"),
    (
        "a cursor elsewhere",
        folded(document(cursor={"cycle": -1, "event": 1.5, "view": "x", "pod": 7, "z": 1})),
        "cursor.z",
    ),
    ("a huge cycle", folded(document(cursor={"cycle": 10**12})), "cursor.cycle"),
    ("a command of text", folded(document(scenario={**document()["scenario"], "commands": ["x"]})), "commands[0]"),
    (
        "an unknown command",
        folded(document(scenario={**document()["scenario"], "commands": [{"kind": "x"}]})),
        "commands[0]",
    ),
    ("another kind", folded(document(scenario={**document()["scenario"], "kind": "X"})), "scenario.kind"),
    (
        "another kube-scheduler",
        folded(document(scenario={**document()["scenario"], "emulates": "v9"})),
        "scenario.emulates",
    ),
    ("a broken profile", folded(document(scenario={**document()["scenario"], "config": "a: ["})), "config"),
]


@pytest.mark.parametrize(("name", "link", "said"), MALFORMED, ids=[case[0] for case in MALFORMED])
def test_malformed_links(web: None, name: str, link: str, said: str) -> None:
    answer = Guest().open(400, link=link)
    assert answer["problems"]
    assert said in json.dumps(answer, ensure_ascii=False)
    assert not Cluster.objects.exists()


def test_a_bomb_is_never_unfolded(web: None) -> None:
    """40 MB in 40 kB: the link is too long already; the largest that fits unfolds to too much, and no further."""
    Guest().open(400, link=BOMB)
    small = folded(b" " * (5 * 1024 * 1024))
    assert len(small) <= share_file.MAX_LINK
    answer = Guest().open(400, link=small)
    assert "decompresses to more than" in answer["problems"][0]["rule"]


def test_too_many_commands(web: None) -> None:
    scenario = {**document()["scenario"], "commands": [{"kind": "reset"}] * 301}
    answer = Guest().open(409, link=folded(document(scenario=scenario)))
    assert "has 301 commands" in answer["problems"][0]["rule"]


@pytest.mark.parametrize(
    "body", [{}, {"link": "x", "id": "x"}, {"link": 7}, {"id": "a/b"}, {"id": ""}, {"other": 1}, [], "x"]
)
def test_neither_link_nor_id(web: None, body: Any) -> None:
    assert Guest().client.post("/api/v1/shares/open/", body, "application/json").status_code == 400


@pytest.mark.parametrize("found", ["begin", "command"])
def test_no_shared_moment_calls_out(api: Api, found: str) -> None:
    commands = [{"kind": "set_config", "yaml": EXTENDER}] if found == "command" else []
    config = EXTENDER if found == "begin" else ""
    scenario = {**document()["scenario"], "commands": commands, "config": config}
    answer = Guest().open(409, link=folded(document(scenario=scenario)))
    assert "extenders" in answer["problems"][0]["rule"]
    cluster = api.cluster(config=config)
    for command in commands:
        api.command(cluster, **command)
    answer = api.post(f"clusters/{cluster}/shares/", {}, 409)
    assert "extenders" in answer["problems"][0]["rule"]
