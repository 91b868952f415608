"""Resource lists: names, amounts, and the rules between requests and limits.

Source: pkg/apis/core/validation validateResourceRequirements, ValidateResourceQuantityValue.
"""

from collections.abc import Callable

from kube_objects import names, read
from kube_objects.quantity import DECIMAL_SI, Quantity, QuantityError, parse_milli, thousandths
from kube_objects.read import Manifest, Problems
from kube_objects.sentences import quoted, say
from kube_objects.text.problems import Problem

NameRule = Callable[[str], str]


def any_resource(name: str) -> str:
    """Accept any resource, as Nodes may have."""
    return ""


def resource_list(
    parent: Manifest, key: str, path: str, problems: Problems, name_rule: NameRule = any_resource
) -> dict[str, int]:
    """Return resource name → thousandths (of a core, byte or unit).

    Invalid entries are left out and added to `problems`.
    """
    amounts: dict[str, int] = {}
    values = read.mapping(parent, key, path, problems)
    if not values:
        return amounts
    for name, value in values.items():
        if type(name) is not str:
            problems.append(
                Problem(
                    read.child(path, key), name, quoted("keys must be strings"), say('quote it: "{name}"', name=name)
                )
            )
            continue
        rule = name_rule(name)
        try:
            milli = amount_milli(value)
        except QuantityError as error:
            problems.append(_amount_problem(read.child(path, key), name, value, str(error), quantity_hint(value)))
            continue
        if milli < 0:
            rule = rule or quoted("must be greater than or equal to 0")
        elif thousandths(milli) % 1000 and "/" in name and names.is_extended_resource(name):
            rule = rule or quoted("must be an integer")
        if rule:
            problems.append(_amount_problem(read.child(path, key), name, value, rule))
            continue
        amounts[name] = milli
    return amounts


def _amount_problem(path: str, name: str, value: object, rule: str, hint: str = "") -> Problem:
    """Return the problem of one amount in the resource list at `path`, which is a map to upstream."""
    return Problem(read.child(path, name), value, rule, hint, field=f"{path}[{name}]")


def amount_milli(value: object) -> int:
    """Return a JSON quantity, a string or a number, in thousandths. Raises `QuantityError`."""
    if type(value) is str:
        return parse_milli(value.strip())
    if value is None:
        return 0
    if type(value) is int or type(value) is float:
        return parse_milli(repr(value))
    return parse_milli("not a quantity")


def quantity_hint(value: object) -> str:
    """Return a hint for a likely typo: a colloquial unit, or a space before it."""
    if not isinstance(value, str):
        return ""
    closed_up = value.replace(" ", "")
    if closed_up[-1:] in ("b", "B"):
        closed_up = closed_up[:-1]
    closed_up = closed_up.replace("K", "k") if closed_up.endswith("K") else closed_up
    return f'did you mean "{closed_up}"?' if closed_up != value and _is_quantity(closed_up) else ""


def _is_quantity(text: str) -> bool:
    try:
        parse_milli(text)
    except QuantityError:
        return False
    return True


def requirements(
    parent: Manifest, path: str, problems: Problems, name_rule: NameRule
) -> tuple[dict[str, int], dict[str, int]]:
    """Return (requests, limits) of the `resources` in `parent`, as written."""
    resources = read.mapping(parent, "resources", path, problems)
    if not resources:
        return {}, {}
    path = f"{path}.resources"
    return (
        resource_list(resources, "requests", path, problems, name_rule),
        resource_list(resources, "limits", path, problems, name_rule),
    )


def check_requirements(requests: dict[str, int], limits: dict[str, int], path: str, problems: Problems) -> None:
    """Requests may not exceed limits, and must equal them where a resource cannot be overcommitted."""
    for name, amount in requests.items():
        limit = limits.get(name)
        overcommit = names.is_overcommit_allowed(name)
        if limit is None:
            if not overcommit:
                rule = quoted("Limit must be set for non overcommitable resources")
                problems.append(_amount_problem(f"{path}.limits", name, None, rule))
        elif amount != limit and not overcommit:
            rule = quoted("must be equal to {name} limit of {limit}", name=name, limit=_text(limit))
            problems.append(_amount_problem(f"{path}.requests", name, _text(amount), rule))
        elif amount > limit:
            rule = quoted("must be less than or equal to {name} limit of {limit}", name=name, limit=_text(limit))
            problems.append(_amount_problem(f"{path}.requests", name, _text(amount), rule))


def _text(milli: int) -> str:
    return str(Quantity(milli * 10**6, DECIMAL_SI))
