"""Every label goes through gettext: no template of the page holds words of its own."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SPOKEN = re.compile(r"\s(?:title|aria-label|placeholder|alt|aria-description|label)=\"([^\"\x00]*[A-Za-z]{2,}[^\"]*)\"")
WORD = re.compile(r"[A-Za-z]{2,}")
# Names of keys, signs of units and Kubernetes' identifiers: the same in every language.
NAMES = {
    "End",
    "Home",
    "Esc",
    "Ctrl",
    "Enter",
    "ms",
    "kB",
    "KiB",
    "MiB",
    "GiB",
    "CPU",
    "YAML",
    "kubectl",
    "JSON",
    "PNG",
    "SVG",
    "CSV",
}
NAMES |= {"PostFilter", "kubectl", "schedulerName"}
IDENTIFIER = re.compile(r"[\w-]*[./-][\w./-]*(?:, )?")


def templates(source: str) -> Iterator[str]:
    """The html`…` templates of a script, a zero character for each ${…}; those inside of these are templates too."""
    for start in re.finditer(r"html`", source):
        text, i = "", start.end()
        while source[i] != "`":
            if source.startswith("${", i):
                i = _after_expression(source, i + 2)
                text += "\x00"
            else:
                text += source[i]
                i += 1
        yield text


def _after_expression(source: str, i: int) -> int:
    depth = 1
    while depth:
        if source[i] == "`":
            i += 1
            while source[i] != "`":
                if source.startswith("${", i):
                    i = _after_expression(source, i + 2)
                else:
                    i += 2 if source[i] == "\\" else 1
        elif source[i] in "\"'":
            quote, i = source[i], i + 1
            while source[i] != quote:
                i += 2 if source[i] == "\\" else 1
        else:
            depth += {"{": 1, "}": -1}.get(source[i], 0)
        i += 1
    return i


def literal(markup: str) -> list[str]:
    """The words of a piece of markup that are not from gettext: between tags, and in attributes that are read out."""
    bare = re.sub(r"<(script|style|kbd|code|svg)\b.*?</\1>|<!--.*?-->", " ", markup, flags=re.DOTALL)
    between = re.sub(r"<[^>]*>", "\n", bare)
    said = [*(line.strip() for line in re.split(r"[\n\x00]", between)), *SPOKEN.findall(bare)]
    return [words for words in said if set(WORD.findall(IDENTIFIER.sub("", words))) - NAMES]


CASES = [
    # markup                                      words without gettext
    ("<p>\x00</p>", []),
    ("<p>Hello there</p>", ["Hello there"]),
    ('<b title="Not translated">\x00</b>', ["Not translated"]),
    ('<b title="\x00" class="row wrap">\x00 ms</b>', []),
    ('<input placeholder="topology.kubernetes.io/zone" /><input placeholder="zone-a, zone-b" />', []),
    ("<kbd>Space</kbd><p>7 MiB</p>", []),
]


@pytest.mark.parametrize(("markup", "want"), CASES)
def test_the_scan_finds_words(markup: str, want: list[str]) -> None:
    assert literal(markup) == want


def test_the_scan_reads_nested_templates() -> None:
    source = 'html`<p>${list.map((x) => html`<i title="Bad">${x ? `a${"}"}` : ""}</i>`)}</p>`'
    assert [literal(one) for one in templates(source)] == [[], ["Bad"]]


def test_no_script_has_words_of_its_own() -> None:
    found = {
        str(path.relative_to(ROOT)): words
        for path in SCRIPTS
        if (words := [word for one in templates(path.read_text(encoding="utf-8")) for word in literal(one)])
    }
    assert found == {}


def test_no_template_has_words_of_its_own() -> None:
    found = {}
    for path in TEMPLATES:
        text = path.read_text(encoding="utf-8")
        text = re.sub(
            r"{%\s*blocktrans(?:late)?\b.*?%}.*?{%\s*endblocktrans(?:late)?\s*%}", "\x00", text, flags=re.DOTALL
        )
        if words := literal(re.sub(r"{[%{#].*?[%}#]}", "\x00", text)):
            found[str(path.relative_to(ROOT))] = words
    assert found == {}
