"""What a link of a stranger may cost, at most: it is counted, then checked apart, with seconds and bytes."""

import pytest

from playground import limits
from playground.models import Cluster
from scheduler_core.config.limits import MAX_PROFILES
from simulator.exchange.share_file import MAX_LINK, MAX_UNFOLDED
from tests.share_links import Guest, document, folded
from tests.web import Api

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def heavy(number: int) -> str:
    """As many profiles as a configuration may have; each is another one, so none is read for another."""
    args = ", ".join(f"{{name: {name}, args: {{}}}}" for name in ("InterPodAffinity", "NodeResourcesFit"))
    profiles = "".join(f"- {{schedulerName: s{i}, pluginConfig: [{args}]}}\n" for i in range(MAX_PROFILES))
    return f"{HEAD}parallelism: {number + 1}\nprofiles:\n{profiles}"


def link(configurations: int) -> str:
    """A link that sets so many, the one to begin with among them."""
    texts = [heavy(number) for number in range(configurations)]
    commands = [{"kind": "set_config", "yaml": text} for text in texts[1:]]
    made = folded(document(scenario={**document()["scenario"], "config": texts[0], "commands": commands}))
    assert len(made) <= MAX_LINK
    assert sum(map(len, texts)) < MAX_UNFOLDED
    return made


def test_so_many_configurations_and_no_more(web: None) -> None:
    opened = Guest().open(link=link(limits.SHARE_CONFIGS))
    assert Cluster.objects.get(pk=opened["cluster"]).submitted == limits.SHARE_CONFIGS - 1
    (problem,) = Guest().open(409, link=link(limits.SHARE_CONFIGS + 1))["problems"]
    assert problem["path"] == "scenario.commands"
    assert f"has {limits.SHARE_CONFIGS + 1} configurations; a shared snapshot has at most" in problem["rule"]
    assert Cluster.objects.count() == 1


def test_what_is_shared_has_no_more_either(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SHARE_CONFIGS", 2)
    cluster = api.cluster()
    api.command(cluster, kind="set_config", yaml=heavy(1))
    api.post(f"clusters/{cluster}/shares/", {}, 201)
    api.command(cluster, kind="set_config", yaml=heavy(2))
    (problem,) = api.post(f"clusters/{cluster}/shares/", {}, 409)["problems"]
    assert "has 3 configurations" in problem["rule"]


@pytest.mark.parametrize(
    ("seconds", "memory"), [(0.1, limits.SHARE_CHECK_BYTES), (limits.SHARE_CHECK_SECONDS, 1 << 16)]
)
def test_the_check_ends_with_its_budget(
    web: None, monkeypatch: pytest.MonkeyPatch, seconds: float, memory: int
) -> None:
    monkeypatch.setattr(limits, "SHARE_CHECK_SECONDS", seconds)
    monkeypatch.setattr(limits, "SHARE_CHECK_BYTES", memory)
    (problem,) = Guest().open(413, link=link(limits.SHARE_CONFIGS))["problems"]
    assert problem["rule"] == f"processing this request takes more than {seconds:g} s or {memory >> 20} MiB of memory"
    assert not Cluster.objects.exists()


def test_the_heaviest_one_is_within_half_of_it(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """So no link is refused for it that counts allow."""
    monkeypatch.setattr(limits, "SHARE_CHECK_SECONDS", limits.SHARE_CHECK_SECONDS / 2)
    monkeypatch.setattr(limits, "SHARE_CHECK_BYTES", limits.SHARE_CHECK_BYTES // 2)
    Guest().open(link=link(limits.SHARE_CONFIGS))
