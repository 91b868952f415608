"""Update the catalogs in locale/, one file per language: `python tools/messages.py`; `--check` prints what they lack.

Each is compiled into two, as Django looks words up: `djangojs.mo` for page, engine, API and command line, `django.mo`
for the server's own pages. Everything here is Python, so nobody needs the GNU gettext programs.
"""

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path

import yaml
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from kube_objects.kinds.table import DESCRIBED  # noqa: E402
from playground.pages import js_modules  # noqa: E402
from scheduler_core.gates.words import all_descriptions as gates  # noqa: E402
from scheduler_core.releases import HELP  # noqa: E402
from simulator.explain.catalogue import catalogue as explanations  # noqa: E402
from simulator.repair.catalogue import catalogue as repairs  # noqa: E402
from simulator.simulation import breakpoints  # noqa: E402
from simulator.upgrade.changes import CHANGES  # noqa: E402

_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: list[str] = _PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
LOCALE = ROOT / "locale"
FIRST = LOCALE / "first.json"
LANGUAGES = sorted(path.stem for path in LOCALE.glob("*.po"))
# The header names what can be taken back.
LABELS = "simulator/simulation/commands"
# What comes with the page: `templates/index.html`.
STEPS = "simulator/explain/steps.py"
HEADER = "# Words of the kube-scheduler playground; docs/contributing/translate.md says how they are made."
Words = dict[str, str]
"""Text → its plural, "" for one without."""

_LITERAL = r'"(?:[^"\\\n]|\\.)*"'
# A long text stands as several, with a + between them.
_STRING = rf"({_LITERAL}(?:\s*\+\s*{_LITERAL})*)"
_CALL = re.compile(
    rf"(?<![\w.$])(?:_\(\s*{_STRING},?\s*\)|ngettext\(\s*{_STRING}\s*,\s*{_STRING}\s*,|template\(\s*{_STRING}\s*[,)])"
)
_TAG = re.compile(r'{%\s*translate\s+"([^"]+)"\s*%}')
# Headers that say nothing in a project whose history is in git.
_NOBODYS = (b'"Report-Msgid', b'"PO-Revision', b'"Last-Trans', b'"Language-Team', b'"Generated-By')
_PLACE = re.compile(r"\{\w+\}")


def page_words() -> Words:
    """Return the page's texts: its own, and those of the engine and the examples that it looks up."""
    found = dict(_of_scripts((ROOT / "static" / "js").rglob("*.js")))
    found |= dict(explanations()) | dict.fromkeys(repairs(), "")
    found |= {one.text: "" for fields in HELP.values() for one in fields.values() if one.text}
    found |= {text: "" for kind in DESCRIBED.values() for section in kind.form for text in section.words()}
    found |= engine_words() | labels() | dict.fromkeys(breakpoints.words(), "")
    found |= gates() | {change.sentence: "" for change in CHANGES}
    found |= dict.fromkeys((*_of_files("examples", "story"), *_of_files("gallery", "text")), "")
    return found


@cache
def engine_words(folder: str = "", calls: tuple[str, ...] = ("say", "quoted")) -> Words:
    """Return the literal sentences in calls of the engine and the server."""
    found: Words = {}
    for path in sorted(path for root in PACKAGES for path in (ROOT / root).rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "kube_objects.sentences import" in source and path.is_relative_to(ROOT / folder):
            tree = ast.parse(source)
            found |= dict(_of_python(tree, tuple(imported(tree) & set(calls)), "plural" if "Template" in calls else ""))
    return found


def imported(tree: ast.AST) -> set[str]:
    """Return the names that a module imports from `kube_objects.sentences`."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {name.name for node in imports if node.module == "kube_objects.sentences" for name in node.names}


def labels() -> Words:
    """Return the names of changes, and the texts about the steps of a cycle."""
    return engine_words(LABELS, ("Template",)) | engine_words(STEPS, ("Template",))


def server_words() -> Words:
    """Return the texts of the server's own pages."""
    found: Words = {}
    for path in sorted((ROOT / "templates").rglob("*.html")):
        found |= dict.fromkeys(_TAG.findall(path.read_text(encoding="utf-8")), "")
    for path in sorted((ROOT / "playground").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "django.utils.translation" in source:
            found |= dict(_of_python(ast.parse(source), ("_", "gettext"), "ngettext"))
    return found


def _of_python(tree: ast.AST, alone: Sequence[str], counted: str) -> Iterator[tuple[str, str]]:
    """Return the literals in calls of some functions: `alone` take one text, `counted` a text and its plural."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        texts = [
            one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value
        ]
        if call.func.id in alone and len(texts) == 1:
            yield texts[0], ""
        elif call.func.id == counted and len(texts) == 2:
            yield texts[0], texts[1]


def _of_files(folder: str, field: str) -> Iterator[str]:
    """Return titles and texts of examples or shared links."""
    for path in sorted((ROOT / "playground" / folder).glob("*.yaml")):
        about = next(iter(yaml.safe_load_all(path.read_text(encoding="utf-8"))))
        yield about["title"]
        yield " ".join(about[field].split())


def _of_scripts(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    plurals: Words = {}
    for path in sorted(paths):
        for call in _CALL.finditer(path.read_text(encoding="utf-8")):
            one, counted, several, template = (part and _joined(part) for part in call.groups())
            plurals.setdefault(one or counted or template, "")
            if several:
                plurals[counted] = several
    yield from plurals.items()


def _joined(text: str) -> str:
    """Return a JavaScript text of one literal or of several."""
    return "".join(json.loads(part) for part in re.findall(_LITERAL, text))


# What each compiled catalogue has.
DOMAINS = {"djangojs": page_words, "django": server_words}


@cache
def words() -> Words:
    """Return all texts of a language."""
    return server_words() | page_words()


def first_words() -> list[str]:
    """Return the texts of the first screen: those of `main.js` with its imports, and titles and stories of examples.

    The page loads the others when something is opened that needs them.
    """
    scripts = (path for path in js_modules.reached(early=True) if "vendor" not in path.parts)
    return sorted({*dict(_of_scripts(scripts)), *labels(), *_of_files("examples", "story")})


def first_text() -> str:
    """Return the file that lists the first screen's texts."""
    return json.dumps(first_words(), ensure_ascii=False, indent=0) + "\n"


def po(language: str) -> Path:
    return LOCALE / f"{language}.po"


def mo(language: str, domain: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{domain}.mo"


def read(path: Path, language: str) -> Catalog:
    if not path.exists() or not path.stat().st_size:
        return Catalog(
            locale=language, header_comment=HEADER, project="kube-scheduler-playground", version="1", fuzzy=False
        )
    with path.open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalogue: Catalog, domain: str) -> bytes:
    """Return a .mo file with the catalog's texts of a domain."""
    wanted = DOMAINS[domain]()
    part = Catalog(locale=catalogue.locale, fuzzy=False)
    part.mime_headers = catalogue.mime_headers
    for message in catalogue:
        if message.id and _texts(message.id)[0] in wanted:
            part[message.id] = message
    made = BytesIO()
    write_mo(made, part)
    return made.getvalue()


def update(language: str) -> None:
    """Add new texts, with a guess marked fuzzy if an old text is similar; remove unused ones; compile."""
    path = po(language)
    catalogue = read(path, language)
    wanted = Catalog()
    for text, several in words().items():
        wanted.add((text, several) if several else text)
    catalogue.update(wanted, update_creation_date=False)
    catalogue.obsolete.clear()
    path.write_bytes(written(catalogue))
    compile_(language)


def compile_(language: str) -> None:
    # As it will be read again: the two must not differ by what only one of them knows.
    catalogue = read(po(language), language)
    for domain in DOMAINS:
        path = mo(language, domain)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(compiled(catalogue, domain))


def written(catalogue: Catalog) -> bytes:
    """Return the .po file of a catalog."""
    made = BytesIO()
    write_po(made, catalogue, sort_output=True, width=0, no_location=True)
    return b"".join(line for line in made.getvalue().splitlines(keepends=True) if not line.startswith(_NOBODYS))


def problems(language: str) -> Iterator[str]:
    """Return all problems of a catalog, one per line."""
    catalogue = read(po(language), language)
    wanted = words()
    has = {_key(message): message for message in catalogue if message.id}
    for text, several in sorted(wanted.items()):
        message = has.get((text, several))
        if message is None:
            yield f"is missing: {text}"
        else:
            yield from _problems_of(message)
    yield from (f"is said no more: {text}" for text, several in sorted(has) if wanted.get(text) != several)
    for domain in DOMAINS:
        path = mo(language, domain)
        if not path.exists() or path.read_bytes() != compiled(catalogue, domain):
            yield f"{path.relative_to(LOCALE)} is not what it compiles to"


def _key(message: Message) -> tuple[str, str]:
    one, *more = _texts(message.id)
    return one, "".join(more)


def _texts(of: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return a text alone, or all forms of a counted one."""
    return (of or "",) if isinstance(of, str | None) else tuple(of)


def _problems_of(message: Message) -> Iterator[str]:
    text, several = _key(message)
    texts = _texts(message.string)
    if not all(texts):
        yield f"is not translated: {text}"
    elif message.fuzzy:
        yield f"is only a guess (fuzzy): {text}"
    else:
        # Of a counted phrase the singular may leave the number out.
        places = set(_PLACE.findall(several or text))
        yield from (f"has not the places of {text}: {each}" for each in texts if set(_PLACE.findall(each)) != places)


def main() -> None:
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: python tools/messages.py [--check]")
    found = 0
    if not sys.argv[1:]:
        FIRST.write_text(first_text(), encoding="utf-8")
    elif FIRST.read_text(encoding="utf-8") != first_text():
        found += 1
        print(f"{FIRST.relative_to(ROOT)}: is not what the page's first modules say")
    for language in LANGUAGES:
        if not sys.argv[1:]:
            update(language)
        for problem in problems(language):
            found += 1
            print(f"{po(language).relative_to(ROOT)}: {problem}")
    if found:
        sys.exit(f"{found} to mend in locale/*.po; then `make messages` again.")


if __name__ == "__main__":
    main()
