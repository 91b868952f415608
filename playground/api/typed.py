"""From the types of answers to the OpenAPI document: a TypedDict becomes what drf-spectacular reads, field by field."""

import types
from collections.abc import Mapping, Sequence
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

from playground.shapes import Moment, SentenceAnswer, name_of
from scheduler_core.sentences import Data

_PLAIN: Mapping[Any, type[s.Field]] = {
    int: s.IntegerField,
    float: s.FloatField,
    bool: s.BooleanField,
    Any: s.JSONField,
    object: s.JSONField,
}


def documented(answer: Any) -> Any:
    """A TypedDict, or a list of one, as a serializer; of a function what it returns; everything else as it is."""
    if isinstance(answer, types.FunctionType):
        return documented(_without_none(get_type_hints(answer, include_extras=True)["return"]))
    if is_typeddict(answer):
        return serializer_of(answer)
    if get_origin(answer) is list and is_typeddict(get_args(answer)[0]):
        return serializer_of(get_args(answer)[0])(many=True)
    return answer


@cache
def serializer_of(shape: Any) -> type[s.Serializer]:
    """A serializer class with the fields of a TypedDict. It only describes: answers go out as they are."""
    hints = get_type_hints(shape, include_extras=True)
    fields = {name: _field(hint, required=name in shape.__required_keys__) for name, hint in hints.items()}
    # Shown in the document: what the class itself says, not what every dict does.
    about = shape.__dict__.get("__doc__")
    return type(name_of(shape), (s.Serializer,), {**fields, "__doc__": about})


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
    if hint in (Moment, datetime):
        return s.DateTimeField(**options)
    if origin is Annotated and isinstance(arguments[1], tuple):
        return s.ChoiceField(list(arguments[1]), **options)
    if origin is Annotated:
        return _field(arguments[0], **options)
    if origin is Literal:
        return s.ChoiceField(list(arguments), **options)
    if origin in (list, Sequence):
        return _list_of(arguments[0], **options)
    if origin in (dict, Mapping):
        return s.DictField(child=_field(arguments[1]), **options)
    if is_typeddict(hint):
        return serializer_of(hint)(**options)
    if hint is str:
        return s.CharField(allow_blank=True, **options)
    return _PLAIN[hint](**options)


def _without_none(hint: Any) -> Any:
    """None is 404."""
    others = [one for one in get_args(hint) if one is not type(None)]
    return others[0] if get_origin(hint) in (Union, types.UnionType) and len(others) == 1 else hint


def _list_of(item: Any, **options: Any) -> s.Field:
    item = SentenceAnswer if item == Data else item
    if is_typeddict(item):
        made: s.Field = serializer_of(item)(many=True, **options)
        return made
    return s.ListField(child=_field(item), **options)
