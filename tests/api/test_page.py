"""The page, its headers, and what tells whether the process is well."""

import json
import posixpath
import re
import time

import pytest
from celery import Celery
from django.conf import settings
from django.utils.translation import to_locale

from playground.engine import command_runner, triggers
from playground.models import Cluster
from tests.api.static_files import serve
from tests.web import Api
from tools.messages import first_words, page_words

PAGES = [
    "/",
    "/accounts/login/",
    "/jsi18n/",
    "/api/schema/",
    "/api/docs/",
    "/docs/",
    "/api/v1/clusters/",
    "/healthz",
    "/nothing",
]


def test_the_page_and_its_scripts(api: Api) -> None:
    answer = api.client.get("/")
    assert answer.status_code == 200
    text = answer.content.decode()
    (nonce,) = re.findall(r"script-src 'self' 'nonce-([\w-]+)'", answer.headers["Content-Security-Policy"])
    # Every script is a file of ours or carries the nonce; nothing comes from elsewhere.
    for attributes, body in re.findall(r"<script([^>]*)>(.*?)</script>", text, re.DOTALL):
        is_data = 'type="application/json"' in attributes
        assert f'nonce="{nonce}"' in attributes or is_data or (not body.strip() and 'src="/' in attributes)
    assert not re.findall(r"""\son\w+=|javascript:|(?:src|href)=["']?(?:https?:)?//""", text)


def test_the_page_names_exactly_the_modules_that_it_begins_with(api: Api) -> None:
    """Found here as a browser finds them, one import after another; what is imported later is not among them."""
    named = re.findall(
        r'<link rel="modulepreload" href="/static/~[0-9a-f]+/([^"]+)">', api.client.get("/").content.decode()
    )
    found: set[str] = set()
    waiting = ["js/main.js"]
    while waiting:
        path = waiting.pop()
        imports = re.findall(r'^(?:import|\} from|import [^(\n]* from) "(\.[^"]+)";$', serve_text(path), re.MULTILINE)
        new = {posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) for name in imports} - found
        found |= new
        waiting += new
    assert sorted(named) == sorted(found)
    assert 80 < len(named) < 110


def serve_text(path: str) -> str:
    answer = serve(f"/static/{path}")
    assert answer.status == 200, path
    return answer.body.decode()


def test_nonces_are_used_once(api: Api) -> None:
    policies = {api.client.get("/").headers["Content-Security-Policy"] for _ in range(3)}
    assert len(policies) == 3


@pytest.mark.parametrize("path", PAGES)
def test_headers_of_every_answer(api: Api, path: str) -> None:
    headers = api.client.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "object-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy.partition("style-src")[0]
    assert "unsafe-eval" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_the_api_page_needs_no_internet(api: Api) -> None:
    text = api.client.get("/api/docs/").content.decode()
    sources = re.findall(r"""(?:src|href)=["']([^"']+)""", text)
    assert sources
    assert all(source.startswith(("/", "?")) and not source.startswith("//") for source in sources)
    for source in sources:
        if source.startswith("/static/"):
            assert serve(source).status == 200, source
        else:
            assert api.client.get(source if source.startswith("/") else f"/api/docs/{source}").status_code == 200, (
                source
            )


def test_an_address_of_a_cluster_leads_to_the_page(api: Api, small: Cluster) -> None:
    assert api.client.get(f"/clusters/{small.pk}/").headers["Location"] == f"/?cluster={small.pk}"


def test_large_answers_are_compressed(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="run", until="idle")
    answer = api.client.get(f"/api/v1/clusters/{small.pk}/records/", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(answer.content) < 4000


@pytest.mark.parametrize("language", ["en", "de", "tlh", ""])
def test_the_page_names_the_language_it_is_in(api: Api, language: str) -> None:
    answer = api.client.get("/", headers={"Accept-Language": language})
    assert answer.headers["Content-Language"] == "en"
    assert '<html lang="en"' in answer.content.decode()


@pytest.mark.parametrize(
    ("asked", "code", "word"),
    [("zh-CN,zh;q=0.9,en;q=0.8", "zh-hans", "播放"), ("ko-KR,ko;q=0.9", "ko", "재생"), ("de,en-GB", "en", "")],
)
def test_the_browser_chooses_the_language_at_first(api: Api, asked: str, code: str, word: str) -> None:
    answer = api.client.get("/", headers={"Accept-Language": asked})
    assert f'<html lang="{code}"' in answer.content.decode()
    words = api.client.get("/jsi18n/", headers={"Accept-Language": asked}).content.decode()
    assert (f'"Play": {json.dumps(word)}' in words) is bool(word)


@pytest.mark.parametrize("language", ["zh-CN", "ko"])
def test_both_parts_of_the_words_make_the_whole(api: Api, language: str) -> None:
    asked = {"Accept-Language": language}
    script = api.client.get("/jsi18n/", headers=asked).content.decode()
    (catalogue,) = re.findall(r"const newcatalog = (\{.*?\n  \});", script, re.DOTALL)
    first = json.loads(catalogue)
    later = api.client.get("/jsi18n/more/", headers=asked).json()["catalog"]
    assert not first.keys() & later.keys()
    assert page_words().keys() <= first.keys() | later.keys()
    assert set(first_words()) == first.keys()


def test_the_reader_chooses_the_language_for_good(api: Api) -> None:
    form = {"Accept": "application/json"}
    assert api.client.post("/i18n/setlang/", {"language": "ko"}, headers=form).status_code == 403
    form["X-CSRFToken"] = api.client.cookies["csrftoken"].value
    for code, want in (("ko", "ko"), ("tlh", "ko"), ("en", "en")):
        answer = api.client.post("/i18n/setlang/", {"language": code}, headers=form)
        assert answer.status_code == 204
        page = api.client.get("/", headers={"Accept-Language": "zh-CN"})
        assert f'<html lang="{want}"' in page.content.decode()
    cookie = api.client.cookies["django_language"]
    assert (cookie.value, cookie["samesite"]) == ("en", "Lax")


def test_every_language_has_a_catalogue() -> None:
    for code, _ in settings.LANGUAGES:
        folder = settings.LOCALE_PATHS[0] / to_locale(code) / "LC_MESSAGES"
        assert code == "en" or all((folder / f"{domain}.mo").exists() for domain in ("django", "djangojs"))


def test_commands_are_kept_without_a_broker(api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker only carries wake-ups: without one a command waits, and is not lost."""
    away = Celery(broker="redis+socket:///nowhere/broker.sock")
    away.conf.broker_transport_options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    monkeypatch.setattr(triggers, "app", away)
    began = time.monotonic()
    assert api.post(f"clusters/{small.pk}/commands/", {"kind": "schedule_one"}) == {"number": 2, "state": "queued"}
    assert time.monotonic() - began < 2
    command_runner.apply_commands(small.pk)
    assert api.get(f"clusters/{small.pk}/")["cycle"] == 1
