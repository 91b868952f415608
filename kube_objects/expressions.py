"""The CEL expressions of device selectors. Source: dynamic-resource-allocation/cel/compile.go.

A library evaluates them (see docs/contributing/decisions.md). Functions of Kubernetes are in `expression_amounts` and
`expression_functions`; this module adds `.?` for optional fields.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import cel
from cel.stdlib import STDLIB_FUNCTIONS

from kube_objects import expression_limits
from kube_objects.cel.work import LONGEST_TEXT
from kube_objects.devices import Device
from kube_objects.expression_amounts import AMOUNTS, QUANTITY, VERSION
from kube_objects.expression_functions import ADDED_FUNCTIONS
from kube_objects.expression_limits import TOO_COMPLEX
from kube_objects.expression_objects import OBJECTS, rewrite_object_literals, type_of
from kube_objects.text.errors import SelectorError

# The library's parser goes deeper for each operator: a text of 100,000 characters is more than a stack holds.
_LONGEST = 16_384
# Comments and texts: raw ones, which have no escapes, and others.
_LITERAL = re.compile(
    r"//[^\n]*"
    r"|(?<!\w)(?:[bB]?[rR]|[rR][bB])(?:\"{3}(?s:.*?)\"{3}|'{3}(?s:.*?)'{3}|\"[^\"\n]*\"|'[^'\n]*')"
    r"|(?:(?<!\w)[bB])?(?:\"{3}(?s:\\.|[^\\])*?\"{3}|'{3}(?s:\\.|[^\\])*?'{3}"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
)
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_OPTIONAL_FIELD = re.compile(r"\.\?\s*([A-Za-z_]\w*)")
_OPTIONAL_INDEX = re.compile(r"\[\?")
_COMPILING = "CEL compile error: "
# Families of functions, and types.
_NAMES = (
    *("jsonpatch", "sets", "ip", "format", "lists", "optional", "strings"),
    *("bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"),
)
_WRAPPED_ERROR = re.compile(
    r"Function '[^']*' error: Python function call failed: \w+: (.*)\. Check function arguments and.*"
)
_NONE: Mapping[str, Callable[..., Any]] = {}


def evaluate(expression: str, driver: str, device: Device) -> bool:
    """Return whether the expression is true for a device of the driver. Raise SelectorError."""
    program = _of_devices(expression)
    try:
        result = program.execute(cel.Context(_variables(expression, driver, device), _FUNCTIONS))
    except KeyError as error:
        raise SelectorError(f"CEL runtime error: no such key: {error.args[0]}") from error
    except Exception as error:  # whatever the library makes of a wrong expression
        raise SelectorError(f"CEL runtime error: {_own_words(error)}") from error
    _must_be_bool(result)
    return bool(result)


def why_not_compiled(expression: str) -> str:
    """Return the compiler's error message for the expression, or ""."""
    try:
        program = _of_devices(expression)
        if not program.variables():
            # An expression without variables has the same result for every device.
            _must_be_bool(program.execute(cel.Context({}, _FUNCTIONS)))
    except SelectorError as wrong:
        return str(wrong).removeprefix(_COMPILING)
    except Exception:  # what goes wrong only when it runs
        return ""
    return ""


def _must_be_bool(result: Any) -> None:
    if type(result) is not bool:
        name = _TYPES.get(type(result), type(result).__name__)
        raise SelectorError(f"{_COMPILING}must evaluate to bool or the unknown type, not {name}")


def value(expression: str, variables: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]] = _NONE) -> Any:
    """Return the value of an expression about these variables. Raise SelectorError in the words of CEL.

    The evaluation can't be interrupted: the caller has bounded its work. `functions` are added to those of every
    expression.
    """
    program, names, common = _with_functions(expression, tuple(sorted(variables)))
    own = {name: function for name, function in functions.items() if name in names}
    try:
        return program.execute(cel.Context(dict(variables), {**common, **own}))
    except KeyError as error:
        raise SelectorError(f"no such key: {error.args[0]}") from error
    except ZeroDivisionError as error:
        raise SelectorError("division by zero") from error
    except Exception as error:  # whatever the library makes of a wrong expression
        text = _own_words(error)
        raise SelectorError("no such overload" if text.startswith("No such overload") else text) from error


def _own_words(error: Exception) -> str:
    """Return the message of a function of ours without the text that the library adds."""
    text = " ".join(str(error).split())
    found = _WRAPPED_ERROR.fullmatch(text)
    return found[1] if found else text


def maybe(found: Any) -> Any:
    """Return an optional value; None becomes the empty one."""
    return cel.OptionalValue.none() if found is None else cel.OptionalValue.of(found)


_TYPES = {
    bool: "bool",
    str: "string",
    int: "int",
    float: "double",
    dict: "map(dyn, dyn)",
    list: "list(dyn)",
    type(None): "null_type",
}


@lru_cache(maxsize=1024)
def _of_devices(expression: str) -> Any:
    program = _compiled(expression, ("device",))
    if expression_limits.is_too_complex(expression):
        raise SelectorError(f"{_COMPILING}{TOO_COMPLEX}")
    return program


@lru_cache(maxsize=1024)
def _compiled(expression: str, names: tuple[str, ...]) -> Any:
    if len(expression) > _LONGEST:
        raise SelectorError(f"{_COMPILING}longer than {_LONGEST} characters")
    try:
        program = cel.compile(_as_library_reads_it(expression))
    except ValueError as error:
        raise SelectorError(f"{_COMPILING}{_why_not_parsed(expression, error)}") from error
    unknown = [
        name for name in program.variables() if name not in (*names, *_NAMES) and not _is_bound(expression, name)
    ]
    if unknown:
        raise SelectorError(f"CEL compile error: compilation failed: undeclared reference to '{unknown[0]}'")
    return program


@lru_cache(maxsize=1024)
def _with_functions(expression: str, names: tuple[str, ...]) -> tuple[Any, frozenset[str], Mapping[str, Any]]:
    """Return the program, the names of the functions in it, and those that every expression has.

    The library takes longer to register all functions than to evaluate a short expression.
    """
    program = _compiled(expression, names)
    used = frozenset(program.functions())
    return program, used, {name: each for name, each in _FUNCTIONS.items() if name.rpartition(".")[2] in used}


def _why_not_parsed(expression: str, error: ValueError) -> str:
    _, _, text = str(error).partition("': ")
    if not expression:
        # Upstream counts no column where there is no text.
        text = text.replace("<input>:1:1:", "<input>:1:0:", 1)
    return "compilation failed: " + text.replace("\n| ", "\n | ")


@lru_cache(maxsize=1024)
def syntax_error(expression: str) -> str:
    """Return the error message of upstream's parser, or "" for a valid or too long expression."""
    if len(expression) > _LONGEST:
        return ""
    try:
        cel.compile(_without_optional_syntax(expression))
    except ValueError as error:
        text = _why_not_parsed(expression, error)
        if "unsupported syntax '?'" in text:
            return ""
        return text if ": Syntax error: " in text else ""
    return ""


def _is_bound(expression: str, name: str) -> bool:
    """Return whether a macro of the expression declares the name."""
    return re.search(rf"\(\s*{re.escape(name)}\s*,", expression) is not None


def _without_optional_syntax(expression: str) -> str:
    """Return `a.?b` as `a.optionalAt("b")` and `a[?i]` as `a.optionalAt(i)`; strings stay unchanged."""
    parts, end = [], 0
    for quoted in _TEXT.finditer(expression):
        parts += [_OPTIONAL_FIELD.sub(r'.optionalAt("\1")', expression[end : quoted.start()]), quoted[0]]
        end = quoted.end()
    parts.append(_OPTIONAL_FIELD.sub(r'.optionalAt("\1")', expression[end:]))
    text = "".join(parts)
    while match := _OPTIONAL_INDEX.search(text):
        close = _closing(text, match.start())
        if close == len(text):
            break
        text = f"{text[: match.start()]}.optionalAt({text[match.end() : close]}){text[close + 1 :]}"
    return text


def _as_library_reads_it(expression: str) -> str:
    return rewrite_object_literals(_without_optional_syntax(expression), _LITERAL)


def constant_type(expression: str) -> str:
    """Return the type of a constant expression; "" if only a compiler could determine it."""
    try:
        program = _compiled(expression, ())
        return "" if program.variables() else type_name(program.execute(cel.Context({}, _FUNCTIONS)))
    except Exception:  # what goes wrong only when it runs, and what is not there
        return ""


def type_name(found: Any) -> str:
    if name := type_of(found):
        return name
    if isinstance(found, list) and found:
        inner = type_name(found[0])
        return f"list({inner})" if inner else ""
    return _TYPES.get(type(found), "")


def _closing(text: str, start: int) -> int:
    """Return the position of the bracket that closes the one at `start`, or the end of the text."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"[": 1, "]": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return len(text)


def _variables(expression: str, driver: str, device: Device) -> dict[str, Any]:
    attributes: dict[str, dict[str, Any]] = {}
    for name, attribute in device.attributes.items():
        domain, key = _split(name, driver)
        value = f"{VERSION}{attribute.value}" if attribute.type == "version" else attribute.value
        attributes.setdefault(domain, {})[key] = value
    capacity: dict[str, dict[str, Any]] = {}
    for name, each in device.capacity.items():
        domain, key = _split(name, driver)
        capacity.setdefault(domain, {})[key] = f"{QUANTITY}{each.value.nano}"
    # A domain that a device does not have is an empty one: what an expression names in quotes may be a domain.
    for quoted in _TEXT.findall(expression):
        attributes.setdefault(quoted[1:-1], {})
        capacity.setdefault(quoted[1:-1], {})
    return {
        "device": {
            "driver": driver,
            "allowMultipleAllocations": device.allow_multiple_allocations,
            "attributes": attributes,
            "capacity": capacity,
        }
    }


def _split(name: str, driver: str) -> tuple[str, str]:
    domain, slash, key = name.partition("/")
    return (domain, key) if slash else (driver, name)


_MATCHED = cel.compile("text.matches(pattern)")


def _optional_at(holder: Any, key: Any) -> Any:
    if isinstance(holder, cel.OptionalValue):
        if not holder.has_value():
            return holder
        holder = holder.value()
    try:
        return cel.OptionalValue.of(holder[key])
    except (KeyError, IndexError):
        return cel.OptionalValue.none()


def _as_text(given: Any) -> str:
    """Return the text of a boolean, which the library's `string` doesn't accept."""
    if not isinstance(given, bool):
        raise ValueError("no such overload")
    return str(given).lower()


def _replace(text: str, old: str, new: str, *count: int) -> str:
    if len(text) + text.count(old) * len(new) > LONGEST_TEXT:
        raise ValueError("the text gets too long")
    return str(STDLIB_FUNCTIONS["replace"](text, old, new, *count))


# Of the library's own those that Kubernetes has, too; others could make lists and texts of any size.
_COMMON = (
    "charAt join lowerAscii upperAscii split strings.quote substring trim max min sum "
    "distinct flatten reverse slice sort sets.contains sets.equivalent sets.intersects"
)
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **AMOUNTS,
    **ADDED_FUNCTIONS,
    **OBJECTS,
    # The library has it as a method only.
    "matches": lambda text, pattern: _MATCHED.execute(cel.Context({"text": text, "pattern": pattern})),
    **{name: STDLIB_FUNCTIONS[name] for name in _COMMON.split()},
    "replace": _replace,
    "string": _as_text,
    "optionalAt": _optional_at,
}
