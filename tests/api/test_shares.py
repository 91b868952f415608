"""Shared moments: made, opened without an account, tried, taken back; limits, and what comes from strangers."""

import base64
import itertools
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from playground import limits, runner
from playground.models import Cluster, Share, ShareView
from playground.selectors import gallery
from scheduler_core.exchange import share as format_
from scheduler_core.simulation.records import VERSION
from tests.web import Api, node, pod

FIXTURES = sorted((Path(__file__).parent / "shares").glob("*.json"))
EXTENDER = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders: [{urlPrefix: "http://127.0.0.1:1/x", filterVerb: filter}]
"""


class Guest:
    """Somebody without an account, cookies or token."""

    addresses = itertools.count(1)

    def __init__(self) -> None:
        # Each from an address of its own: what an address may ask for in a minute has a test of its own.
        number = next(self.addresses)
        self.client = Client(enforce_csrf_checks=True, REMOTE_ADDR=f"127.3.{number // 250}.{number % 250 + 1}")

    def open(self, status: int = 200, **which: Any) -> Any:
        answer = self.client.post("/api/v1/shares/open/", which, "application/json")
        assert answer.status_code == status, answer.content
        assert not answer.cookies
        return answer.json()

    def get(self, opened: Any, path: str = "", status: int = 200, **headers: str) -> Any:
        headers = {"X-Share-Key": opened["key"], **headers}
        answer = self.client.get(f"/api/v1/clusters/{opened['cluster']}/{path}", headers=headers)
        assert answer.status_code == status, answer.content
        return answer.json()


@pytest.fixture
def owner(make_user: Callable[[str], Any]) -> Api:
    return Api(make_user("owner"))


@pytest.fixture
def played(owner: Api) -> int:
    cluster = owner.cluster([node(f"n{i}") for i in range(3)] + [pod(f"p{i}") for i in range(4)], seed=3)
    owner.command(cluster, kind="run", until="idle")
    return cluster


def link_of(made: Any) -> str:
    return str(made["path"].partition("#")[2])


def folded(document: Any) -> str:
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return "1." + base64.urlsafe_b64encode(packer.compress(text) + packer.flush()).decode().rstrip("=")


def document(**changes: Any) -> dict[str, Any]:
    scenario = {"apiVersion": "kube-scheduler-playground/v1", "kind": "Scenario", "name": "x", "commands": []}
    return {"share": 1, "trace": 1, "title": "x", "scenario": scenario, "cursor": {}} | changes


def trace(cluster: int) -> list[Any]:
    from playground.selectors import history

    return history.bodies(cluster, 0, 1000)


def test_a_small_moment_is_in_its_link(owner: Api, played: int) -> None:
    cursor = {"cycle": 2, "event": 5, "node": "n1", "view": "scores"}
    made = owner.post(f"clusters/{played}/shares/", {"cursor": cursor, "title": "Look"}, 201)
    assert made["id"] is None
    assert (made["title"], made["emulates"], made["cursor"]) == ("Look", "v1.34.1", cursor)
    assert made["path"].startswith("/s/#1.")
    assert made["embed"] == made["path"].replace("/s/", "/s/?embed=1")
    assert Share.objects.count() == 0
    guest = Guest()
    opened = guest.open(link=link_of(made))
    assert (opened["title"], opened["emulates"], opened["cursor"]) == ("Look", "v1.34.1", cursor)
    runner.drain(opened["cluster"])
    assert guest.get(opened)["cycle"] == 4
    assert trace(opened["cluster"]) == trace(played)
    # The same scenario is played once, wherever one looks in it.
    other = owner.post(f"clusters/{played}/shares/", {"cursor": {"cycle": 1}}, 201)
    again = Guest().open(link=link_of(other))
    assert (again["cluster"], again["key"]) == (opened["cluster"], opened["key"])


def test_a_large_moment_is_stored(owner: Api, make_user: Callable[[str], Any]) -> None:
    cluster = owner.cluster([node(f"node-{i:04}-{i * 7919 % 10007:05}") for i in range(1500)])
    made = owner.post(f"clusters/{cluster}/shares/", {}, 201)
    assert len(made["id"]) == limits.SHARE_TOKEN
    assert made["path"] == f"/s/{made['id']}/"
    opened = Guest().open(id=made["id"])
    runner.drain(opened["cluster"])
    assert trace(opened["cluster"]) == trace(cluster)
    (listed,) = owner.get("shares/")
    assert (listed["id"], listed["size"]) == (made["id"], made["size"])
    other = Api(make_user("other"))
    assert other.get("shares/") == []
    other.delete(f"shares/{made['id']}/", 404)
    owner.delete(f"shares/{made['id']}/")
    Guest().open(404, id=made["id"])
    # Nor can those go on reading who have opened it before.
    Guest().get(opened, "", 404)


def test_single_steps_are_played_as_one_run(owner: Api) -> None:
    """With what could tell the two apart: breakpoints before them, a step that finds no pod, time between them."""
    cluster = owner.cluster(
        [node("n", cpu="2"), *(pod(f"p{i}", cpu="900m") for i in range(5)), pod("q", cpu="9")], seed=3
    )
    owner.command(cluster, kind="run", until={"breakpoint": True}, breakpoints=[{"kind": "pod", "pod": "default/p0"}])
    for _ in range(9):
        owner.command(cluster, kind="schedule_one")
    owner.command(cluster, kind="advance_clock", seconds=400)
    for _ in range(4):
        owner.command(cluster, kind="schedule_one")
    opened = Guest().open(link=link_of(owner.post(f"clusters/{cluster}/shares/", {}, 201)))
    runner.drain(opened["cluster"])
    assert trace(opened["cluster"]) == trace(cluster)
    assert Cluster.objects.get(pk=opened["cluster"]).submitted == 5


def test_it_stays_as_it_was_shared(owner: Api, played: int) -> None:
    made = owner.post(f"clusters/{played}/shares/", {"stored": True}, 201)
    before = trace(played)
    owner.command(played, kind="create", objects=[pod("later")])
    owner.command(played, kind="run", until="idle")
    opened = Guest().open(id=made["id"])
    runner.drain(opened["cluster"])
    assert trace(opened["cluster"]) == before
    owner.delete(f"clusters/{played}/")
    assert Guest().open(id=made["id"])["cluster"] == opened["cluster"]


def test_try_it_yourself(owner: Api, played: int, make_user: Callable[[str], Any]) -> None:
    made = owner.post(f"clusters/{played}/shares/", {"cursor": {"cycle": 2}}, 201)
    visitor = Api(make_user("visitor"))
    tried = visitor.post("shares/try/", {"link": link_of(made)}, 201)
    assert tried["cursor"] == {"cycle": 2}
    own = tried["cluster"]["id"]
    runner.drain(own)
    assert trace(own) == trace(played)
    assert visitor.command(own, kind="create", objects=[pod("mine")])["state"] == "done"
    assert [row["id"] for row in owner.get("clusters/")] == [played]


def test_trying_needs_an_account_and_the_token(owner: Api, played: int) -> None:
    which = {"link": link_of(owner.post(f"clusters/{played}/shares/", {}, 201))}
    assert Guest().client.post("/api/v1/shares/try/", which, "application/json").status_code == 403
    assert owner.client.post("/api/v1/shares/try/", which, "application/json").status_code == 403
    Guest().client.post("/api/v1/shares/try/", json.dumps(which), "text/plain")
    assert Guest().client.post("/api/v1/shares/open/", json.dumps(which), "text/plain").status_code == 415
    assert ShareView.objects.count() == 0


# ── what a guest may do ──

CHANGES: list[tuple[str, str, Any]] = [
    ("post", "commands/", {"kind": "reset"}),
    ("delete", "", None),
    ("patch", "", {"name": "x"}),
]
CHANGES += [("post", "pause/", None), ("post", "pace/", {"cycles_per_second": 1}), ("post", "branches/", {"at": "now"})]
CHANGES += [
    ("post", "shares/", {}),
    ("post", "import/", {"text": "{}"}),
    ("put", "breakpoints/", []),
    ("post", "undo/", None),
]
CHANGES += [("post", "config/try/", {"yaml": ""}), ("post", "comparisons/", {"sides": []})]
READS = [
    "",
    "records/",
    "cycles/",
    "cycles/1/",
    "cycles/1/matrix/",
    "cycles/1/reasons/",
    "nodes/",
    "nodes/n0/",
    "queue/",
]
READS += ["node-changes/?since=0", "pods/?nodes=n0", "pods/default/p0/", "pods/default/p0/moves/", "objects/"]
READS += ["objects/Node/n0/", "config/", "config/versions/", "config/versions/1/", "config/form/"]
CLOSED = ["branches/", "breakpoints/", "commands/1/", "comparisons/", "lesson/", "export/scenario/", "export/trace/"]


@pytest.fixture
def opened(owner: Api, played: int) -> Any:
    found = Guest().open(link=link_of(owner.post(f"clusters/{played}/shares/", {}, 201)))
    runner.drain(found["cluster"])
    return found


@pytest.mark.parametrize("path", READS)
def test_a_guest_reads(opened: Any, path: str) -> None:
    Guest().get(opened, path)
    assert Guest().client.get(f"/api/v1/clusters/{opened['cluster']}/{path}").status_code == 403


@pytest.mark.parametrize(("method", "path", "body"), CHANGES, ids=[f"{method} {path}" for method, path, _ in CHANGES])
def test_a_guest_changes_nothing(opened: Any, owner: Api, method: str, path: str, body: Any) -> None:
    """Nor does somebody with an account who brings the key."""
    address, before = f"/api/v1/clusters/{opened['cluster']}/{path}", trace(opened["cluster"])
    for client, headers in ((Guest().client, {}), (owner.client, owner.headers)):
        headers = {**headers, "X-Share-Key": opened["key"]}
        answer = getattr(client, method)(address, body, content_type="application/json", headers=headers)
        assert answer.status_code == 403
    assert trace(opened["cluster"]) == before


@pytest.mark.parametrize("path", CLOSED)
def test_some_reads_are_the_owners_alone(opened: Any, path: str) -> None:
    Guest().get(opened, path, 403)


def test_a_key_opens_one_cluster(opened: Any, owner: Api, played: int) -> None:
    guest = Guest()
    for cluster in (played, 999_999):
        guest.get({**opened, "cluster": cluster}, "", 404)
    for key in ("", "x", "x" * 43, opened["key"][:-1], opened["key"] + "x", "'; --", "\u00e9"):
        guest.get({**opened, "key": key}, "", 404)
    # With a key one is a guest, whatever account one has besides.
    headers = {"X-Share-Key": opened["key"]}
    assert owner.client.get(f"/api/v1/clusters/{played}/", headers=headers).status_code == 404


def test_views_are_in_nobodys_list(opened: Any, owner: Api, played: int, make_user: Callable[[str], Any]) -> None:
    assert [row["id"] for row in owner.get("clusters/")] == [played]
    Api(make_user("other")).get(f"clusters/{opened['cluster']}/", 404)


def test_nobody_logs_in_as_the_host(opened: Any) -> None:
    client = Client()
    for password in ("", "!", "(shared moments)"):
        client.post("/accounts/login/", {"username": "(shared moments)", "password": password})
        assert client.get("/api/v1/clusters/").status_code == 403


# ── the page ──


@pytest.mark.parametrize("path", ["/s/", "/s/who-is-evicted/", "/s/nothing/"])
def test_the_page_is_for_anybody(exposed: None, path: str) -> None:
    answer = Client().get(path)
    assert answer.status_code == 200
    assert f'data-share="{path.split("/")[2]}"' in answer.content.decode()
    # It has a button that makes something in the visitor's name.
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/s/?embed=1", "/s/who-is-evicted/?embed=1"])
def test_an_embed_may_be_framed_and_gets_nothing(exposed: None, path: str) -> None:
    answer = Client().get(path)
    assert "data-embed" in answer.content.decode()
    assert "X-Frame-Options" not in answer.headers
    policy = answer.headers["Content-Security-Policy"]
    assert "frame-ancestors *" in policy
    assert policy.replace("frame-ancestors *", "frame-ancestors 'none'").count("'none'") == 3
    assert "script-src 'self' 'nonce-" in policy
    assert not answer.cookies


@pytest.mark.parametrize(
    "path", ["/?embed=1", "/accounts/login/?embed=1", "/s/?embed=0", "/s/?embed=yes", "/s/x/?embed="]
)
def test_nothing_else_may_be_framed(api: Api, path: str) -> None:
    headers = api.client.get(path).headers
    assert headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_a_name_is_no_markup(exposed: None) -> None:
    text = Client().get("/s/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E/").content.decode(errors="replace")
    assert "<script>alert" not in text


# ── links from strangers ──

BOMB = folded(b" " * (40 * 1024 * 1024))
GOOD = folded(document())
MALFORMED: list[tuple[str, str, str]] = [
    # name                    link                                          in the answer
    ("nothing", "x", 'begins with \\"1.\\"'),
    ("another version", "2." + GOOD[2:], "newer playground"),
    ("no version", GOOD[2:], 'begins with \\"1.\\"'),
    ("other characters", "1.a+b/c=", "characters that are in no link"),
    ("a slash and dots", "1.../../etc/passwd", "characters that are in no link"),
    ("not base64", "1.abcde", "is damaged"),
    ("not deflate", "1." + "A" * 40, "is damaged"),
    ("cut off", GOOD[:-8], "is damaged"),
    (
        "something follows",
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
    ("another field", folded(document(extra=1)), "is no field of a shared moment"),
    ("share of tomorrow", folded(document(share=2)), "share"),
    ("share true", folded(document(share=True)), "share"),
    ("trace of tomorrow", folded(document(trace=99)), "newer playground"),
    ("trace 0", folded(document(trace=0)), "1 to"),
    ("no trace", folded({"share": 1}), "1 to"),
    ("a long title", folded(document(title="x" * 101)), "at most 100 characters"),
    ("a title of numbers", folded(document(title=7)), "must be text"),
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
    assert len(small) <= format_.MAX_LINK
    answer = Guest().open(400, link=small)
    assert "unfolds to more than" in answer["problems"][0]["rule"]


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


# ── how much ──


def test_no_more_than_may_be_stored(owner: Api, played: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHARES_PER_USER", 1)
    owner.post(f"clusters/{played}/shares/", {"stored": True}, 201)
    assert "stored moments" in owner.post(f"clusters/{played}/shares/", {"stored": True}, 409)["problems"][0]["rule"]
    monkeypatch.setattr(limits, "SHARES_PER_USER", 9)
    monkeypatch.setattr(limits, "SHARES_BYTES_PER_USER", 10)
    owner.post(f"clusters/{played}/shares/", {"stored": True}, 409)
    monkeypatch.setattr(limits, "SHARE_BYTES", 10)
    owner.post(f"clusters/{played}/shares/", {}, 413)
    monkeypatch.setattr(limits, "SHARE_CYCLES", 3)
    assert "4 cycles" in owner.post(f"clusters/{played}/shares/", {}, 409)["problems"][0]["rule"]


def test_the_longest_unopened_makes_room(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHARE_VIEWS", 2)
    scenario = document()["scenario"]
    links = [folded(document(scenario={**scenario, "seed": seed})) for seed in (1, 2, 3)]
    first, second = Guest().open(link=links[0]), Guest().open(link=links[1])
    Guest().open(link=links[0])
    Guest().open(link=links[2])
    Guest().get(first)
    Guest().get(second, "", 404)
    assert Guest().open(link=links[1])["key"] != second["key"]


def test_an_address_opens_so_many_a_minute(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHARE_VIEWS_PER_MINUTE", 2)
    links = [folded(document(scenario={**document()["scenario"], "seed": 50 + seed})) for seed in range(3)]
    client = Client(REMOTE_ADDR="127.9.9.9")
    answers = [client.post("/api/v1/shares/open/", {"link": link}, "application/json").status_code for link in links]
    assert answers == [200, 200, 429]
    # What is there already costs nothing.
    assert client.post("/api/v1/shares/open/", {"link": links[0]}, "application/json").status_code == 200


def test_few_are_at_work_at_a_time(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHARE_VIEWS_AT_WORK", 1)
    commands = [{"kind": "create", "objects": [node("n")]}]
    links = [
        folded(document(scenario={**document()["scenario"], "seed": seed, "commands": commands})) for seed in (1, 2)
    ]
    opened = Guest().open(link=links[0])
    Guest().open(429, link=links[1])
    runner.drain(opened["cluster"])
    Guest().open(link=links[1])


def test_a_shared_moment_has_less_room(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHARE_VIEW_BYTES", 60_000)
    commands: list[Any] = [{"kind": "create", "objects": [node("n"), *(pod(f"p{i}", cpu="1m") for i in range(60))]}]
    commands += [{"kind": "run", "until": "idle"}, {"kind": "reset"}] * 20
    opened = Guest().open(link=folded(document(scenario={**document()["scenario"], "commands": commands})))
    runner.drain(opened["cluster"])
    cluster = Cluster.objects.get(pk=opened["cluster"])
    assert cluster.applied == cluster.submitted
    assert cluster.cycle < 300


# ── what ships, and what was shared long ago ──


@pytest.mark.parametrize("slug", gallery.all_shown())
def test_the_gallery(exposed: None, slug: str) -> None:
    shown = next(row for row in Guest().client.get("/api/v1/gallery/").json() if row["slug"] == slug)
    assert shown["path"] == f"/s/{slug}/"
    assert len(slug) != limits.SHARE_TOKEN
    guest = Guest()
    opened = guest.open(id=slug)
    runner.drain(opened["cluster"])
    state = guest.get(opened)
    assert state["state"] == "idle"
    cycle = guest.get(opened, f"cycles/{opened['cursor'].get('cycle', state['cycle'])}/")["cycle"]
    assert opened["cursor"].get("pod", cycle["pod"]) == cycle["pod"]
    assert format_.pack(format_.text_of(gallery.find(slug).share.document()))  # type: ignore[union-attr]


@pytest.mark.parametrize("path", FIXTURES, ids=[path.stem for path in FIXTURES])
@pytest.mark.parametrize("raised", [0, 1], ids=["today", "after the next version"])
def test_links_of_every_day_still_open(web: None, monkeypatch: pytest.MonkeyPatch, path: Path, raised: int) -> None:
    """Never change a fixture: somebody has it in a mail. A new version of the format adds a file, and an upgrade."""
    if raised:
        version = VERSION
        upgrades = {**format_.UPGRADES, version: lambda document: {**document, "trace": version + 1}}
        monkeypatch.setattr(format_, "TRACE_VERSION", version + 1)
        monkeypatch.setattr(format_, "UPGRADES", upgrades)
    for name, known in json.loads(path.read_text(encoding="utf-8")).items():
        guest = Guest()
        opened = guest.open(link=known["link"])
        assert opened["cursor"] == known["cursor"], name
        runner.drain(opened["cluster"])
        assert guest.get(opened)["cycle"] == known["cycles"], name
        cycle = guest.get(opened, f"cycles/{known['cursor']['cycle']}/")["cycle"]
        assert {field: cycle[field] for field in known["there"]} == known["there"], name


def test_every_version_has_its_upgrade_and_its_fixtures() -> None:
    assert set(format_.UPGRADES) == set(range(1, VERSION))
    assert [path.stem for path in FIXTURES] == [f"trace-{n}" for n in range(1, VERSION + 1)]
