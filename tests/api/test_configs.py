"""Configurations over HTTP: versions with author and note, problems all at once, origins, changes, the form."""

from typing import Any

from playground.configs.selectors import START
from playground.models import Record
from tests.web import Api, node, pod

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
HEAVY = HEAD + "profiles: [{plugins: {score: {enabled: [{name: NodeResourcesFit, weight: 9}]}}}]\n"
PACKING = (
    HEAD + "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}]}]\n"
)


def applied(api: Api, cluster: int, yaml: str, **fields: Any) -> None:
    assert api.command(cluster, kind="set_config", yaml=yaml, **fields)["state"] == "done"


def test_every_applied_configuration_is_a_version(api: Api) -> None:
    cluster = api.cluster([node("node-0"), *(pod(f"web-{i}") for i in range(3))])
    applied(api, cluster, HEAVY, note="spread less")
    applied(api, cluster, PACKING)
    assert api.get(f"clusters/{cluster}/queue/")["counts"]["active"] == 3  # the queue is kept
    listed = api.get(f"clusters/{cluster}/config/versions/")
    assert listed["current"] == 3
    assert [(each["version"], each["note"]) for each in listed["versions"]] == [(3, ""), (2, "spread less"), (1, "")]
    owner = api.get(f"clusters/{cluster}/")["owner"]
    assert {each["author"] for each in listed["versions"]} == {owner}
    assert [each["version"] for each in api.get(f"clusters/{cluster}/config/versions/", before=3)["versions"]] == [2, 1]
    second = api.get(f"clusters/{cluster}/config/versions/2/")
    assert second["yaml"] == HEAVY and second["created"] <= api.get(f"clusters/{cluster}/config/")["created"]
    assert ["NodeResourcesFit", 9] in second["effective"]["default-scheduler"]["score"]
    record = Record.objects.get(cluster=cluster, seq=second["seq"])
    assert record.kind == "config" and '"note":"spread less"' in str(record.body)
    assert api.get(f"clusters/{cluster}/config/")["version"] == 3
    api.get(f"clusters/{cluster}/config/versions/4/", status=404)


def test_restoring_is_applying_again(api: Api) -> None:
    cluster = api.cluster()
    applied(api, cluster, HEAVY)
    applied(api, cluster, api.get(f"clusters/{cluster}/config/versions/1/")["yaml"], note="version 1 again")
    now = api.get(f"clusters/{cluster}/config/")
    assert (now["version"], now["note"]) == (3, "version 1 again")
    assert now["effective"] == api.get(f"clusters/{cluster}/config/versions/0/")["effective"]


def test_a_note_has_its_limit(api: Api) -> None:
    cluster = api.cluster()
    path = f"clusters/{cluster}/commands/"
    refused = api.post(path, {"kind": "set_config", "yaml": HEAVY, "note": "x" * 501}, status=400)
    assert refused["problems"][0]["path"] == "note" and "500" in refused["problems"][0]["rule"]
    applied(api, cluster, HEAVY, note="x" * 500)


def test_the_last_valid_one_stays(api: Api) -> None:
    cluster = api.cluster()
    assert api.command(cluster, kind="set_config", yaml=HEAD + "parallelism: 0\n")["state"] == "failed"
    assert api.get(f"clusters/{cluster}/config/")["version"] == 1
    assert len(api.get(f"clusters/{cluster}/config/versions/")["versions"]) == 1


def test_problems_come_all_at_once(api: Api) -> None:
    cluster = api.cluster()
    text = HEAD + "paralellism: 1\npodMaxBackoffSeconds: 0\nprofiles: [{plugins: {score: {enabled: [{name: Fit}]}}}]\n"
    checked = api.post(f"clusters/{cluster}/config/check/", {"yaml": text})
    assert (checked["ok"], checked["stage"]) == (False, "decode")
    assert [(each["path"], each["line"]) for each in checked["problems"]] == [
        ("paralellism", 3),
        ("podMaxBackoffSeconds", 4),
        ("profiles[0].plugins.score.enabled[0]", 5),
    ]
    assert checked["problems"][0]["hint"] == 'did you mean "parallelism"?'


def test_a_name_that_disables_nothing_gets_a_hint_and_is_accepted(api: Api) -> None:
    disabled = "profiles:\n- plugins:\n    score:\n      disabled:\n      - name: '*'\n      - name: ImageLocalty\n"
    disabled += "    multiPoint:\n      disabled:\n      - name: NodePorts\n      - name: Coscheduling\n"
    checked = api.post(f"clusters/{api.cluster()}/config/check/", {"yaml": HEAD + disabled})
    assert (checked["ok"], checked["problems"]) == (True, [])
    score, foreign = checked["warnings"]
    assert (score["path"], score["line"]) == ("profiles[0].plugins.score.disabled[1]", 8)
    assert score["message"] == "no plugin has the name ImageLocalty: this disables nothing"
    assert score["hint"] == 'did you mean "ImageLocality"?'
    assert "out of tree" in foreign["hint"]


def test_a_valid_draft_says_what_it_changes(api: Api) -> None:
    cluster = api.cluster()
    applied(api, cluster, HEAVY)
    path = f"clusters/{cluster}/config/check/"
    weight = {"change": "weight", "profile": "default-scheduler", "plugin": "NodeResourcesFit"}
    moved = {"change": "plugin moved", "profile": "default-scheduler", "plugin": "NodeResourcesFit", "point": "score"}
    against_default = api.post(path, {"yaml": HEAVY, "against": 0})
    assert against_default["changes"] == [
        {**moved, "before": 3, "after": 1},
        {**weight, "before": 1, "after": 9},
    ]
    assert api.post(path, {"yaml": HEAVY, "against": 2})["changes"] == []
    assert api.post(path, {"yaml": HEAVY, "against": 1})["changes"] == against_default["changes"]
    assert "changes" not in api.post(path, {"yaml": HEAVY})
    assert "changes" not in api.post(path, {"yaml": HEAVY, "against": 7})
    score = against_default["origins"]["profiles"][0]["points"]["score"]["enabled"]
    assert score[0] == {"plugin": "NodeResourcesFit", "origin": "explicit", "weight": 9, "defaultWeight": 1}


def test_the_form_has_every_plugin(api: Api) -> None:
    form = api.get(f"clusters/{api.cluster()}/config/form/")
    assert {"SchedulingGates", "NodeResourcesFit"} <= {plugin["name"] for plugin in form["plugins"]}
    assert form["settings"][0]["name"] == "parallelism"
    assert api.post(f"clusters/{api.cluster()}/config/check/", {"yaml": START, "against": 0})["changes"] == []


def test_a_draft_is_tried_on_a_cycle(api: Api, questions: None) -> None:
    busy = pod("full", cpu="2", nodeName="node-1")
    cluster = api.cluster([node("node-0"), node("node-1"), busy, pod("web-0", cpu="1"), pod("web-1", cpu="1")])
    path = f"clusters/{cluster}/config/try/"
    waiting = api.post(path, {"yaml": PACKING})
    assert (waiting["cycle"], waiting["pod"]) == (None, "default/web-0")
    assert (waiting["before"]["node"], waiting["after"]["node"]) == ("node-0", "node-1")
    api.command(cluster, kind="run", until="idle")
    revision = api.get(f"clusters/{cluster}/")["revision"]
    first = api.post(path, {"yaml": PACKING, "cycle": 1})
    assert {**first, "cycle": None} == waiting
    second = api.post(path, {"yaml": HEAD, "cycle": 2})
    assert second["before"] == second["after"] and second["moved"] == 0
    record = api.get(f"clusters/{cluster}/cycles/2/")["cycle"]
    assert second["after"]["node"] == record["node"]
    state = api.get(f"clusters/{cluster}/")
    assert (state["revision"], state["config_version"]) == (revision, 1)  # nothing was changed
    idle = api.post(path, {"yaml": HEAVY}, status=409)
    assert "no pending Pod" in idle["problems"][0]["rule"]


def test_a_trial_refuses_what_it_cannot_do(api: Api, questions: None) -> None:
    cluster = api.cluster([node("node-0"), pod("web-0")])
    path = f"clusters/{cluster}/config/try/"
    wrong = api.post(path, {"yaml": HEAD + "parallelism: 0\n"}, status=400)
    assert wrong["problems"][0]["path"] == "parallelism"
    past = api.post(path, {"yaml": '{"kind": "Policy", "apiVersion": "v1"}'}, status=400)
    assert "past/translate/" in past["problems"][0]["hint"]
    api.post(path, {"yaml": HEAD, "cycle": 9}, status=404)
    asking = HEAD + "extenders: [{urlPrefix: 'http://127.0.0.1:9/', filterVerb: filter}]\n"
    extender = api.post(path, {"yaml": asking}, status=409)
    assert "extender" in extender["problems"][0]["rule"]
    assert api.post(path, {"yaml": HEAD})["after"]["node"] == "node-0"  # and goes on


def test_a_draft_with_mistakes_still_has_a_table(api: Api) -> None:
    cluster = api.cluster()
    path = f"clusters/{cluster}/config/check/"
    text = HEAD + "podMaxBackoffSeconds: 0\nprofiles: [{plugins: {score: {enabled: [{name: Fit, weight: 3}]}}}]\n"
    (made,) = api.post(path, {"yaml": text})["table"]
    assert made["points"]["score"]["enabled"][-1] == {
        "plugin": "Fit",
        "origin": "explicit",
        "index": 0,
        "multi": False,
        "weight": 3,
        "weightAt": {"point": "score", "index": 0},
    }
    assert api.post(path, {"yaml": "profiles: ["})["table"] is None
    at_work = api.get(f"clusters/{cluster}/config/")
    assert at_work["table"] == api.post(path, {"yaml": at_work["yaml"]})["table"]
