"""The API speaks the reader's language: sentences of ours do, identifiers and upstream's words stay as they are."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, override_settings

from kube_objects import languages
from playground.__main__ import main
from playground.engine import command_runner
from playground.models import Command
from playground.settings.languages import spoken
from tests.web import Api, node, pod
from tools import messages

KOREAN, CHINESE = "[가-힣]", "[一-鿿]"
BARE = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"}}
POLICY = '{"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}]}'


def refused(api: Api, cluster: int, language: str, **command: Any) -> Any:
    path = f"/api/v1/clusters/{cluster}/import/"
    headers = {**api.headers, "Accept-Language": language}
    answer = api.client.post(path, command, "application/json", headers=headers)
    assert answer.status_code == 400, answer.content
    return answer.json()["problems"]


@pytest.fixture
def cluster(api: Api) -> int:
    made = api.cluster([node("a"), pod("late", cpu="64")])
    api.command(made, kind="cordon", node="a")
    return made


@pytest.mark.parametrize(("language", "script"), [("ko", KOREAN), ("zh-CN,zh;q=0.9", CHINESE), ("fr", "^Required")])
def test_a_problem(api: Api, cluster: int, language: str, script: str) -> None:
    (problem,) = refused(api, cluster, language, text=json.dumps(BARE), dry_run=True)
    assert problem["path"] == "spec"
    # Kubernetes' own words stay, with a translation beside them.
    assert problem["rule"].startswith("Required value")
    assert re.search(script, problem["rule"])
    assert "said" not in problem
    if language == "fr":
        assert problem["hint"] == "a pod needs spec.containers"
    else:
        assert re.search(script, problem["hint"])
        assert "spec.containers" in problem["hint"]


def test_an_explanation(api: Api, cluster: int) -> None:
    path = f"/api/v1/clusters/{cluster}/cycles/1/reasons/"
    api.command(cluster, kind="schedule_one")
    said = api.client.get(path, headers={"Accept-Language": "ko"}).json()
    assert re.search(KOREAN, said["text"]["text"])
    assert said["text"]["template"] == "{fit}/{total} nodes are available"
    # Upstream's message is upstream's.
    assert said["message"].startswith("0/1 nodes are available: 1 ")


def test_what_became_of_a_policy(api: Api) -> None:
    answer = api.client.post(
        "/api/v1/past/translate/",
        {"text": POLICY},
        "application/json",
        headers={**api.headers, "Accept-Language": "ko"},
    ).json()
    told = {line["path"]: line["explanation"] for line in answer["lines"]}
    assert told["predicates[0].name"] == "플러그인 NodeResourcesFit이(가) 됨"
    words = api.client.get("/api/v1/past/glossary/", headers={"Accept-Language": "zh-hans"}).json()
    assert all(re.search(CHINESE, word["explanation"]) for word in words)


def test_the_name_of_a_change(api: Api, cluster: int) -> None:
    path = f"/api/v1/clusters/{cluster}/"
    named = api.client.get(path, headers={"Accept-Language": "ko"}).json()["can_undo"]
    assert re.search(KOREAN, named["what"])
    assert named.keys() == {"number", "what"}
    assert api.client.get(path).json()["can_undo"]["what"] == "cordon a"


def test_what_an_older_playground_stored_stays_english(api: Api, cluster: int) -> None:
    last = Command.objects.filter(cluster=cluster).latest("number")
    Command.objects.filter(pk=last.pk).update(what="cordon a", problems=[{"path": "node", "rule": "no such Node"}])
    headers = {"Accept-Language": "ko"}
    assert api.client.get(f"/api/v1/clusters/{cluster}/", headers=headers).json()["can_undo"]["what"] == "cordon a"
    stored = api.client.get(f"/api/v1/clusters/{cluster}/commands/{last.number}/", headers=headers).json()
    assert stored["problems"] == [{"path": "node", "rule": "no such Node"}]


def test_a_problem_that_a_worker_stored(api: Api, cluster: int) -> None:
    number = api.post(f"clusters/{cluster}/commands/", {"kind": "cordon", "node": "gone"}, 202)["number"]
    command_runner.apply_commands(cluster)
    path = f"/api/v1/clusters/{cluster}/commands/{number}/"
    (problem,) = api.client.get(path, headers={"Accept-Language": "ko"}).json()["problems"]
    assert problem == {"path": "node", "value": "gone", "rule": "그런 Node가 없습니다"}
    assert api.client.get(path).json()["problems"][0]["rule"] == "no such Node"


ESPERANTO = """
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\n"

msgid "a pod needs spec.containers"
msgstr "podo bezonas spec.containers"

msgid "Required value"
msgstr "valoro bezonata"

msgid "Queues"
msgstr "Atendovicoj"

msgid "Log in"
msgstr "Ensaluti"
"""


def test_a_further_language_is_one_file(
    api: Api, cluster: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing but `eo.po`, here of four texts, and what `make messages` compiles: all that speaks, speaks it."""
    (tmp_path / "eo.po").write_text(ESPERANTO, encoding="utf-8")
    monkeypatch.setattr(messages, "LOCALE", tmp_path)
    messages.compile_("eo")
    there = spoken(tmp_path)
    assert there == [("en", "English"), ("eo", "Esperanto")]
    esperanto = {"Accept-Language": "eo"}
    with override_settings(LOCALE_PATHS=[tmp_path], LANGUAGES=there):
        (problem,) = refused(api, cluster, "eo", text=json.dumps(BARE), dry_run=True)
        page = api.client.get("/", headers=esperanto).content.decode()
        words = api.client.get("/jsi18n/", headers=esperanto).content.decode()
        with override_settings(LOCAL=False):
            login = Client().get("/accounts/login/", headers=esperanto).content.decode()
    assert problem["rule"] == "Required value (valoro bezonata)"
    assert problem["hint"] == "podo bezonas spec.containers"
    assert '<html lang="eo"' in page
    assert '["eo", "Esperanto"]' in page
    assert '"Queues": "Atendovicoj"' in words
    assert "Ensaluti" in login
    monkeypatch.setattr(languages, "folder", lambda: tmp_path)
    monkeypatch.setenv("LANGUAGE", "")
    monkeypatch.setenv("LC_ALL", "")
    monkeypatch.setenv("LC_MESSAGES", "")
    monkeypatch.setenv("LANG", "eo.UTF-8")
    (tmp_path / "pod.json").write_text(json.dumps(BARE), encoding="utf-8")
    assert main(["validate", str(tmp_path / "pod.json")]) != 0
    told = "".join(capsys.readouterr())
    assert "spec: Required value (valoro bezonata)" in told
    assert "podo bezonas spec.containers" in told
