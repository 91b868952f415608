"""Every language says everything: nothing missing, guessed or said no more, every place kept, every .mo compiled."""

import ast
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from django.conf import settings
from django.utils.translation import to_locale

from kube_objects.languages import catalogue
from simulator.explain.catalogue import catalogue as explanations
from tests.packages import PACKAGES
from tools import messages
from tools.messages import LANGUAGES, engine_words, labels, page_words, problems

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_is_whole(language: str) -> None:
    assert list(problems(language)) == []


def test_a_text_of_page_and_server_is_said_alike() -> None:
    """One catalogue has both, so one of them may not be counted where the other is not."""
    page, server = page_words(), messages.server_words()
    assert [text for text in page.keys() & server.keys() if page[text] != server[text]] == []


def test_the_first_words_are_those_of_the_first_modules() -> None:
    assert messages.FIRST.read_text(encoding="utf-8") == messages.first_text(), "run make messages"
    assert set(messages.first_words()) <= set(page_words())
    assert len(messages.first_words()) < len(page_words()) / 3


def test_what_is_there_is_offered() -> None:
    assert settings.LANGUAGES == [("en", "English"), ("zh-hans", "简体中文"), ("ko", "한국어")]
    assert {to_locale(code) for code, _name in settings.LANGUAGES} == {"en", *LANGUAGES}


def test_every_call_is_collected() -> None:
    """Whatever is given to gettext must be a text between double quotes, or come from elsewhere by name."""
    named = re.compile(r"(?<![\w.$])(?:_|ngettext|template)\(\s*(\w[\w.]*)")
    known = {
        "about.title",
        "example.story",
        "example.title",
        "field.help",
        "field.label",
        "kind.description",
        "title",
        "row.text",
        "row.title",
    }
    known |= {"data.template", "text", "shared.value.title", "part", "source", "change.sentence", "gate.text"}
    found = {
        name
        for path in (ROOT / "static" / "js").rglob("*.js")
        for name in named.findall(path.read_text(encoding="utf-8"))
    }
    assert found <= known
    assert len(page_words()) > 1500


def test_what_is_said_is_a_literal() -> None:
    """A template that is put together, or an f-string, would be in no catalogue."""
    put_together = set()
    for folder in PACKAGES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            says = messages.imported(tree) & {"say", "quoted"}
            calls = [call for call in ast.walk(tree) if isinstance(call, ast.Call)]
            templates = [call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id in says]
            if not all(isinstance(template, ast.Constant) for template in templates):
                put_together.add(str(path.relative_to(ROOT)))
    # Templates of changes, which stand as literals with their commands.
    assert put_together == {"simulator/simulation/commands/table.py"}


def test_every_template_of_the_engine_is_in_every_catalogue() -> None:
    templates = {**engine_words(), **labels(), **dict(explanations())}
    assert len(templates) > 900
    for language in LANGUAGES:
        words = catalogue(language, messages.LOCALE)
        for one, several in templates.items():
            told = words.ngettext(one, several, 2) if several else words.gettext(one)
            assert told, one
            # The same in both languages: what is a name, or a place, and nothing else.
            assert told != one or not re.search(r"[a-z]{3} [a-z]{2}", re.sub(r"\{\w+\}", "", one)), one


CASES = [
    # msgid, its plural        translations        what is wrong
    (("one {a}", ""), ("eins {a}",), None),
    (("one {a}", ""), ("",), "is not translated"),
    (("one {a}", ""), ("eins {b}",), "has not the places"),
    (("one {a}", ""), ("eins",), "has not the places"),
    (("a node", "{n} nodes"), ("{n} Knoten",), None),
    (("a node", "{n} nodes"), ("Knoten",), "has not the places"),
]


@pytest.mark.parametrize(("text", "told", "want"), CASES)
@pytest.mark.parametrize("fuzzy", [False, True])
def test_what_is_wrong_is_found(
    text: tuple[str, str],
    told: tuple[str, ...],
    want: str | None,
    fuzzy: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(messages, "LOCALE", tmp_path)
    monkeypatch.setattr(messages, "DOMAINS", {"test": lambda: {text[0]: text[1]}})
    monkeypatch.setattr(messages, "words", lambda: {text[0]: text[1]})
    catalogue = Catalog(locale="ko")
    counted = bool(text[1])
    catalogue.add(text if counted else text[0], told if counted else told[0], flags={"fuzzy"} if fuzzy else set())
    messages.po("ko").write_bytes(messages.written(catalogue))
    assert list(problems("ko"))[-1] == "ko/LC_MESSAGES/test.mo is not what it compiles to"
    messages.compile_("ko")
    want = "is only a guess" if fuzzy and want != "is not translated" else want
    assert [problem[: len(want or "")] for problem in problems("ko")] == ([want] if want else [])
    monkeypatch.setattr(messages, "words", dict)
    assert [problem[:15] for problem in problems("ko")] == ["is said no more"]
