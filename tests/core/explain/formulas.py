"""Evaluation of a written formula, as a reader would do by hand."""

import ast
import math
import operator
import re
from collections.abc import Callable
from functools import cache

Number = int | float

_OPERATORS: dict[type, Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: _divide(a, b),
    ast.FloorDiv: operator.truediv,  # ÷
    ast.Pow: operator.pow,
}
_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "sqrt": math.sqrt,
    "ln": math.log,
    "trunc": math.trunc,
    "round": lambda value: math.floor(value + 0.5),
}


# The same formula stands under many nodes and pods.
@cache
def worked_out(formula: str) -> Number:
    text = formula.replace("×", "*").replace("−", "-").replace("²", "**2").replace("÷", "//").replace("√", "sqrt")
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", text)
    return _value(ast.parse(text, mode="eval").body)


def _divide(a: Number, b: Number) -> Number:
    """Divide integers towards zero."""
    assert isinstance(a, int) and isinstance(b, int)
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _value(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left), _value(right))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _FUNCTIONS[name](*map(_value, args))
    raise ValueError(ast.dump(node))
