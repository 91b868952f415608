"""Parts of answers that are described by hand, for the OpenAPI document; most are made from types, see `typed`."""

from typing import Any

from drf_spectacular.utils import inline_serializer
from rest_framework import serializers as s


class Anything(s.JSONField):
    """A Kubernetes object, or a record of docs/trace_format.md."""


def integers(**options: Any) -> s.ListField:
    return s.ListField(child=s.IntegerField(), **options)


def texts(**options: Any) -> s.ListField:
    return s.ListField(child=s.CharField(allow_blank=True, **options))


def by_name(child: s.Field, **options: Any) -> s.DictField:
    return s.DictField(child=child, **options)


def nested(name: str, fields: dict[str, s.Field], **options: Any) -> Any:
    return inline_serializer(f"Explained{name}", fields, **options)
