"""CEL selectors: what Kubernetes adds to the language, what fails, and what is refused."""

import time

import pytest

from kube_objects.text.errors import SelectorError
from scheduler_core.dra.selectors import device_matches
from tests.core.dra.devices import DRIVER, read_device

GPU = read_device(
    attributes={
        "model": {"string": "a100"},
        "index": {"int": 3},
        "ecc": {"bool": True},
        "version": {"version": "1.10.2-rc.1"},
        "other.example.com/link": {"string": "x"},
    },
    capacity={"memory": {"value": "40Gi"}, "other.example.com/cores": {"value": "1500m"}},
)
OWN = f'device.attributes["{DRIVER}"]'
MEMORY = f'device.capacity["{DRIVER}"].memory'

TRUE_OR_FALSE = [
    ("true", True),
    (f'device.driver == "{DRIVER}"', True),
    (f'{OWN}.model == "a100"', True),
    (f"{OWN}.index > 3", False),
    (f"{OWN}.ecc && {OWN}.index in [1, 3]", True),
    (f'{OWN}.model.startsWith("a") && {OWN}.model.matches("^a[0-9]+$")', True),
    ('device.attributes["other.example.com"].link == "x"', True),
    # unknown domains are empty, unknown names absent
    ('"model" in device.attributes["elsewhere.example.com"]', False),
    (f'has({OWN}.model) && "none" in {OWN}', False),
    (f"has({OWN}.none)", False),
    # optional syntax
    (f"{OWN}.?index.orValue(0) == 3", True),
    (f"{OWN}.?none.orValue(7) == 7", True),
    (f"{OWN}.?none.hasValue()", False),
    ('device.attributes[?"elsewhere.example.com"].?none.orValue("y") == "y"', True),
    (f'{OWN}[?"index"].hasValue()', True),
    (f'{OWN}.model != "a.?b[?c]"', True),
    # quantities
    (f'{MEMORY}.compareTo(quantity("40Gi")) == 0', True),
    (f'{MEMORY}.isGreaterThan(quantity("42949672959"))', True),
    (f'{MEMORY}.isLessThan(quantity("40Gi"))', False),
    (f'{MEMORY} == quantity("40960Mi")', True),
    (f'{MEMORY}.sub(quantity("39Gi")).add(1024).compareTo(quantity("1048577Ki")) == 0', True),
    ('device.capacity["other.example.com"].cores.asApproximateFloat() == 1.5', True),
    ('device.capacity["other.example.com"].cores.isInteger()', False),
    ('isQuantity("1Gi") && !isQuantity("1Gx") && quantity("-1").sign() == -1', True),
    # versions: a pre-release comes before its release, numbers are numbers
    (f'{OWN}.version.isLessThan(semver("1.10.2"))', True),
    (f'{OWN}.version.isGreaterThan(semver("1.9.9"))', True),
    (f'{OWN}.version.compareTo(semver("1.10.2-rc.1+build")) == 0', True),
    (f'{OWN}.version.compareTo(semver("1.10.2-rc.10")) == -1', True),
    (f"{OWN}.version.major() == 1 && {OWN}.version.minor() == 10 && {OWN}.version.patch() == 2", True),
    ('isSemver("1.2.3") && !isSemver("1.2")', True),
    # comprehensions
    (f'device.attributes.exists(d, d == "{DRIVER}")', True),
    ("[1, 2, 3].all(i, i < 3)", False),
    ("sets.contains([1, 2], [2])", True),
]


@pytest.mark.parametrize(("expression", "want"), TRUE_OR_FALSE)
def test_matches(expression: str, want: bool) -> None:
    assert device_matches(expression, DRIVER, GPU) is want


TOO_COMPLEX = "CEL compile error: too complex, exceeds cost limit"
ERRORS = [
    (f'{OWN}.none == "a"', "CEL runtime error: no such key: none"),
    (f"{OWN}.model", "CEL compile error: must evaluate to bool or the unknown type, not string"),
    ("node.name == 'a'", "CEL compile error: compilation failed: undeclared reference to 'node'"),
    ('quantity("1Gx") == quantity("1")', "CEL runtime error: "),
    ('semver("1.2") == semver("1.2.3")', "CEL runtime error: "),
    (f'{OWN}.model.isLessThan(quantity("1"))', "CEL runtime error: "),
    # Upstream's estimate is above its limit.
    (f"{OWN}.all(a, {OWN}.all(b, {OWN}.all(c, {OWN}.all(d, true))))", TOO_COMPLEX),
    (f"[{'1, ' * 999}1].all(a, [{'1, ' * 999}1].all(b, true))", TOO_COMPLEX),
    ("lists.range(1000000000) == []", TOO_COMPLEX),
    # The work of the evaluating library is above the limit.
    (f'["a"].map(x, {"x + " * 300}x).map(x, {"x + " * 300}x).map(x, {"x + " * 300}x) == []', TOO_COMPLEX),
    ("lists.range(900).map(x, lists.range(900)) == []", TOO_COMPLEX),
    ("lists.range(5000) == []", "CEL runtime error: the list gets too long"),
    (f'"{"a" * 3000}".replace("a", "{"b" * 3000}") == ""', "CEL runtime error: "),
]


@pytest.mark.parametrize(("expression", "text"), ERRORS)
def test_fails(expression: str, text: str) -> None:
    with pytest.raises(SelectorError) as caught:
        device_matches(expression, DRIVER, GPU)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize(
    "expression",
    ["device.driver ==", "(" * 5000, '"' + "a" * 9000, "device.?", "device[?", "[" * 900 + "]" * 900, "\x00", ""],
)
def test_nonsense_is_a_compile_error(expression: str) -> None:
    with pytest.raises(SelectorError, match="CEL compile error"):
        device_matches(expression, DRIVER, GPU)


CHEAP = [
    " && ".join([f'{OWN}.exists(name, name == "model")'] * 8),
    "[1].all(a, [1].all(b, [1].all(c, [1].all(d, [1].all(e, true)))))",
]


@pytest.mark.parametrize("expression", CHEAP)
def test_many_cheap_comprehensions_are_allowed(expression: str) -> None:
    assert device_matches(expression, DRIVER, GPU)


def test_what_is_allowed_ends_soon() -> None:
    """Three comprehensions within one another, over as many values as a device can have."""
    full = read_device(attributes={f"a{i}": {"int": i} for i in range(32)})
    start = time.process_time()
    assert device_matches(f"{OWN}.all(a, {OWN}.all(b, {OWN}.all(c, true)))", DRIVER, full)
    assert time.process_time() - start < 5
