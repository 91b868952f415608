"""Shared moments: made, tried, what ships, and what was shared long ago."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playground import limits
from playground.engine import command_runner
from playground.models import Cluster, Share, ShareView
from playground.shares import gallery
from simulator.exchange import share_file
from simulator.simulation.records import VERSION
from tests.share_links import Guest, link_of, trace
from tests.web import Api, node, pod

FIXTURES = sorted((Path(__file__).parent).glob("*.json"))


def test_a_small_moment_is_in_its_link(owner: Api, played: int) -> None:
    cursor = {"cycle": 2, "event": 5, "node": "n1", "view": "scores"}
    made = owner.post(f"clusters/{played}/shares/", {"cursor": cursor, "title": "Look"}, 201)
    assert made["id"] is None
    assert (made["title"], made["emulates"], made["cursor"]) == ("Look", "v1.36.3", cursor)
    assert made["path"].startswith("/s/#1.")
    assert made["embed"] == made["path"].replace("/s/", "/s/?embed=1")
    assert Share.objects.count() == 0
    guest = Guest()
    opened = guest.open(link=link_of(made))
    assert (opened["title"], opened["emulates"], opened["cursor"]) == ("Look", "v1.36.3", cursor)
    command_runner.apply_commands(opened["cluster"])
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
    command_runner.apply_commands(opened["cluster"])
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
    command_runner.apply_commands(opened["cluster"])
    assert trace(opened["cluster"]) == trace(cluster)
    assert Cluster.objects.get(pk=opened["cluster"]).submitted == 5


def test_it_stays_as_it_was_shared(owner: Api, played: int) -> None:
    made = owner.post(f"clusters/{played}/shares/", {"stored": True}, 201)
    before = trace(played)
    owner.command(played, kind="create", objects=[pod("later")])
    owner.command(played, kind="run", until="idle")
    opened = Guest().open(id=made["id"])
    command_runner.apply_commands(opened["cluster"])
    assert trace(opened["cluster"]) == before
    owner.delete(f"clusters/{played}/")
    assert Guest().open(id=made["id"])["cluster"] == opened["cluster"]


def test_try_it_yourself(owner: Api, played: int, make_user: Callable[[str], Any]) -> None:
    made = owner.post(f"clusters/{played}/shares/", {"cursor": {"cycle": 2}}, 201)
    visitor = Api(make_user("visitor"))
    tried = visitor.post("shares/try/", {"link": link_of(made)}, 201)
    assert tried["cursor"] == {"cycle": 2}
    own = tried["cluster"]["id"]
    command_runner.apply_commands(own)
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


@pytest.mark.parametrize("slug", gallery.read_gallery())
def test_the_gallery(exposed: None, slug: str) -> None:
    shown = next(row for row in Guest().client.get("/api/v1/gallery/").json() if row["slug"] == slug)
    assert shown["path"] == f"/s/{slug}/"
    assert len(slug) != limits.SHARE_TOKEN
    guest = Guest()
    opened = guest.open(id=slug)
    command_runner.apply_commands(opened["cluster"])
    state = guest.get(opened)
    assert state["state"] == "idle"
    cycle = guest.get(opened, f"cycles/{opened['cursor'].get('cycle', state['cycle'])}/")["cycle"]
    assert opened["cursor"].get("pod", cycle["pod"]) == cycle["pod"]
    assert share_file.pack(share_file.text_of(gallery.find(slug).share.document()))  # type: ignore[union-attr]


@pytest.mark.parametrize("path", FIXTURES, ids=[path.stem for path in FIXTURES])
def test_links_of_every_version_still_open(web: None, path: Path) -> None:
    """Never change a fixture: somebody has it in a mail. A new version of the format adds a file."""
    for name, known in json.loads(path.read_text(encoding="utf-8")).items():
        guest = Guest()
        opened = guest.open(link=known["link"])
        assert opened["cursor"] == known["cursor"], name
        command_runner.apply_commands(opened["cluster"])
        assert guest.get(opened)["cycle"] == known["cycles"], name
        cycle = guest.get(opened, f"cycles/{known['cursor']['cycle']}/")["cycle"]
        assert {field: cycle[field] for field in known["there"]} == known["there"], name


def test_every_version_has_its_fixtures() -> None:
    assert [path.stem for path in FIXTURES] == [f"trace-{n}" for n in range(1, VERSION + 1)]
