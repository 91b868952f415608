"""Conversion of response types (TypedDicts and dataclasses) to serializers, which drf-spectacular reads."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from datetime import datetime
from functools import cache
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from rest_framework import serializers as s

from kube_objects.sentences import Data
from playground.response_types import About, DateTime, SentenceAnswer, name_of

_PLAIN: Mapping[Any, type[s.Field]] = {
    int: s.IntegerField,
    float: s.FloatField,
    bool: s.BooleanField,
    Any: s.JSONField,
    object: s.JSONField,
}


def documented(answer: Any) -> Any:
    """Return a serializer for a shape, a list of shapes, or a function's return type; anything else unchanged."""
    if isinstance(answer, types.FunctionType):
        return documented(_without_none(get_type_hints(answer, include_extras=True)["return"]))
    if _is_shape(answer):
        return serializer_of(answer)
    if get_origin(answer) is list and _is_shape(get_args(answer)[0]):
        return serializer_of(get_args(answer)[0])(many=True)
    return answer


def _is_shape(hint: Any) -> bool:
    return is_typeddict(hint) or (isinstance(hint, type) and is_dataclass(hint))


def serializer_of(shape: Any, name: str = "") -> type[s.Serializer]:
    """Return a serializer class for a TypedDict, or for a dataclass that is sent with `asdict`.

    It is called `name`, or like the shape. It only describes responses; it never serializes them.
    """
    return _serializer_of(shape, name or name_of(shape))


@cache
def _serializer_of(shape: Any, name: str) -> type[s.Serializer]:
    hints = get_type_hints(shape, include_extras=True)
    required = hints.keys() if is_dataclass(shape) else shape.__required_keys__
    fields = {field: _field(hint, required=field in required) for field, hint in hints.items()}
    # The description is the class's own docstring. Docstrings of engine dataclasses are for developers.
    about = None if is_dataclass(shape) else shape.__dict__.get("__doc__")
    return type(name, (s.Serializer,), {**fields, "__doc__": about})


def _field(hint: Any, *, required: bool = True, **options: Any) -> s.Field:
    if not required:
        options["required"] = False
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Required, NotRequired):
        return _field(arguments[0], **options)
    if origin in (Union, types.UnionType) and type(None) in arguments:
        (other,) = (one for one in arguments if one is not type(None))
        return _field(other, allow_null=True, **options)
    if hint == Data:
        return serializer_of(SentenceAnswer)(**options)
    if hint in (DateTime, datetime):
        return s.DateTimeField(**options)
    if origin is Annotated and isinstance(arguments[1], tuple):
        return s.ChoiceField(list(arguments[1]), **options)
    if origin is Annotated and isinstance(arguments[1], About):
        return _field(arguments[0], **_said_of(arguments[1]), **options)
    if origin is Annotated and isinstance(arguments[1], type) and issubclass(arguments[1], s.Serializer):
        form: s.Field = arguments[1](**options)
        return form
    if origin is Annotated and _is_shape(arguments[0]):
        return serializer_of(*arguments)(**options)
    if origin is Annotated:
        return _field(arguments[0], **options)
    if origin is Literal:
        return s.ChoiceField(list(arguments), **options)
    if origin in (list, tuple, Sequence):
        return _list_of(arguments[0], **options)
    if origin in (dict, Mapping):
        return s.DictField(child=_field(arguments[1]), **options)
    if _is_shape(hint):
        return serializer_of(hint)(**options)
    if hint is str:
        return s.CharField(allow_blank=True, **options)
    return _PLAIN[hint](**options)


def _said_of(about: About) -> dict[str, Any]:
    options = {
        "help_text": about.text,
        "min_value": about.at_least,
        "max_value": about.at_most,
        "max_length": about.longest,
    }
    return {name: value for name, value in options.items() if value is not None}


def _without_none(hint: Any) -> Any:
    """Return the hint without None, because None becomes 404."""
    others = [one for one in get_args(hint) if one is not type(None)]
    return others[0] if get_origin(hint) in (Union, types.UnionType) and len(others) == 1 else hint


def _list_of(item: Any, **options: Any) -> s.Field:
    item = SentenceAnswer if item == Data else item
    shape, name = get_args(item) if get_origin(item) is Annotated else (item, "")
    if _is_shape(shape):
        made: s.Field = serializer_of(shape, name)(many=True, **options)
        return made
    return s.ListField(child=_field(item), **options)
