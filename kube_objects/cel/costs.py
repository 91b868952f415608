"""The estimated cost of an expression: upstream's number, to the unit."""

from collections.abc import Callable

from kube_objects.cel import checking, estimating, expansion, syntax
from kube_objects.cel.checking import Environment
from kube_objects.cel.ranges import MOST, Range
from kube_objects.cel.types import Type


def estimated(
    expression: str, environment: Environment, size_of: Callable[[tuple[str, ...], Type], Range | None]
) -> Range | None:
    """Return the least and the most that an evaluation costs; None for an expression that isn't valid.

    An expression that is nested too deeply, or gets too large without its macros, costs as much as possible.
    """
    try:
        tree = expansion.expand(syntax.parse(expression))
        checking.check(tree, environment)
        return estimating.estimate(tree, size_of)
    except (RecursionError, expansion.TooManyNodesError):
        return Range(0, MOST)
    except (syntax.NotReadError, checking.TypeCheckError):
        return None
