"""Whatever is thrown at it, reading a configuration ends soon and with a ConfigError."""

import random

import pytest

from scheduler_core.config import ConfigError, export_yaml
from scheduler_core.config.limits import MAX_BYTES
from tests.config_v1_34 import check, decode, default_configuration

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

TEXTS = [
    # name, text, what the error says
    ("deep YAML", "[" * 5_000, "levels deep"),
    ("deep JSON", '{"a":' * 5_000, "levels deep"),
    (
        "deep by aliases",
        "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 2_000)),
        "levels deep",
    ),
    (
        "deep by merges",
        "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} {{<<: *a{n - 1}}}\n" for n in range(1, 2_000)),
        "levels deep",
    ),
    (
        "a billion laughs",
        "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)),
        "excessive aliasing",
    ),
    ("many values", "[" + "1," * 25_000 + "]", "more than 20000 values"),
    ("many unknown fields", HEAD + "".join(f"field{n}: 1\n" for n in range(9_000)), "unknown field"),
    ("a long text", "#" * (MAX_BYTES + 1), f"longer than {MAX_BYTES} bytes"),
    ("a long number", "apiVersion: v1\nkind: " + "9" * 100_000, "no kind"),
    ("half a character", "a: \ud800", "not Unicode"),
]


@pytest.mark.parametrize(("text", "want"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS])
def test_refused(text: str, want: str) -> None:
    with pytest.raises(ConfigError, match=want):
        decode(text)


def test_damaged_texts_are_answered() -> None:
    """Characters deleted, doubled and replaced at random: an answer every time, never a crash."""
    chance = random.Random(1)
    original = export_yaml(default_configuration())
    for _ in range(300):
        text = list(original)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(text))
            text[at] = chance.choice(
                ["", text[at] * 2, "\n", " ", ":", "- ", "{", "]", "&a ", "*a ", "'", "\t", "0", "#", "é"]
            )
        answer = check("".join(text))
        assert answer["ok"] or answer["errors"]
