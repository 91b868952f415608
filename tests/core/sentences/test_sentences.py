"""A sentence is its English text, knows what it was made of, and is rendered with any catalogue."""

import copy
import gettext
import json
import pickle

import pytest

from kube_objects import languages
from kube_objects.languages import Catalogue, catalogue, of_environment, render, rendered
from kube_objects.sentences import Plural, Sentence, Template, data_of, joined, packed, quoted, say, unpacked

WORDS = {
    "{n} is too many": "trop: {n}",
    "must be true": "doit être vrai",
    "because {why}": "parce que {why}",
    "{count} node": "{count} nœud",
    "{count} nodes": "{count} nœuds",
}


class Words(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return WORDS.get(message, message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


NODES = Plural(Template("{count} node"), Template("{count} nodes"))
CASES = [
    # said                                                  in English                             in French
    (say("{n} is too many", n=8152), "8152 is too many", "trop: 8152"),
    (say("not in the catalogue: {n}", n=1), "not in the catalogue: 1", "not in the catalogue: 1"),
    (say('a place alone: {"n": 1}'), 'a place alone: {"n": 1}', 'a place alone: {"n": 1}'),
    (quoted("must be true"), "must be true", "must be true (doit être vrai)"),
    (quoted("must be false"), "must be false", "must be false"),
    (say("because {why}", why=say("{n} is too many", n=3)), "because 3 is too many", "parce que trop: 3"),
    (joined("; ", say("{n} is too many", n=3), "", quoted("x")), "3 is too many; x", "trop: 3; x"),
    ("0/3 nodes are available", "0/3 nodes are available", "0/3 nodes are available"),
]


@pytest.mark.parametrize(("said", "english", "french"), CASES)
def test_a_sentence(said: str, english: str, french: str) -> None:
    assert said == english
    assert render(said, catalogue("en", languages.folder())) == english
    assert render(said, Words()) == french
    # Through JSON, as problems are stored, and on the other side of a process.
    data = data_of(said)
    assert data is None or render(json.loads(json.dumps(data)), Words()) == french
    assert json.dumps(said) == json.dumps(english)
    for again in (pickle.loads(pickle.dumps(said)), copy.deepcopy(said)):  # noqa: S301  its own
        assert (again, data_of(again)) == (said, data)


def test_a_number_of_things() -> None:
    assert render(NODES(1), Words()) == "1 nœud"
    assert render(NODES(8152), Words()) == "8,152 nœuds"


def test_the_text_of_an_error_is_the_sentence_that_it_was_raised_with() -> None:
    assert isinstance(str(ValueError(say("must be true"))), Sentence)


def test_an_answer() -> None:
    answer = {
        "rule": "must be true",
        "said": {"rule": say("must be true").data},
        "why": [NODES(2)],
        "notes": [say("must be true"), "as it was"],
        "columns": [1, 2],
    }
    english = rendered(answer, catalogue("en", languages.folder()))
    assert english["why"][0]["text"] == "2 nodes"
    assert set(english) == {"rule", "why", "notes", "columns"}
    french = rendered(answer, Words())
    assert french["rule"] == "doit être vrai"
    assert french["why"] == [NODES(2) | {"text": "2 nœuds"}]
    assert french["notes"] == ["doit être vrai", "as it was"]


@pytest.mark.parametrize("name", ["a", "n" * 300, '"' * 300, "名" * 300])
def test_a_name_in_a_column(name: str) -> None:
    text = packed(say("create {what}", what=name), 200)
    assert len(text) <= 200
    again = unpacked(text)
    assert isinstance(again, Sentence)
    assert again.startswith("create " + name[:20])
    assert unpacked("create Pod shop/web") == "create Pod shop/web"
    assert packed("", 200) == ""


@pytest.mark.parametrize(
    ("environ", "want"),
    [
        ({}, "node could take the pod"),
        ({"LANG": "C.UTF-8"}, "node could take the pod"),
        ({"LANG": "ko_KR.UTF-8"}, "파드"),
        ({"LANG": "ko_KR.UTF-8", "LC_ALL": "C"}, "node could take the pod"),
        ({"LANG": "zh_CN.UTF-8"}, "Pod"),
        ({"LANGUAGE": "ko:en", "LANG": "zh_CN.UTF-8"}, "파드"),
        ({"LANG": "fr_FR.UTF-8"}, "node could take the pod"),
    ],
)
def test_the_language_of_the_environment(environ: dict[str, str], want: str) -> None:
    words: Catalogue = catalogue(of_environment(environ), languages.folder())
    told = words.ngettext("{count} node could take the pod", "{count} nodes could take the pod", 1)
    assert want in told
