"""Serializers for requests about shared moments."""

from typing import Any

from rest_framework import serializers

from playground.api.strict_fields import Flag, Name, StrictSerializer, Text, Whole
from simulator.exchange.share_file import MAX_LINK, MAX_NAME, MAX_NUMBER, MAX_TITLE, VIEWS, Cursor

# A stored moment's id, or a name in the gallery.
ID = r"^[A-Za-z0-9_-]{1,100}$"


class ShareCursor(StrictSerializer):
    """The position in the UI; absent fields are unset. `event` is the step of the cycle."""

    cycle = Whole(min_value=0, max_value=MAX_NUMBER, required=False)
    event = Whole(min_value=0, max_value=MAX_NUMBER, required=False)
    pod = Text(min_length=1, max_length=MAX_NAME, required=False)
    node = Text(min_length=1, max_length=MAX_NAME, required=False)
    plugin = Text(min_length=1, max_length=MAX_NAME, required=False)
    view = serializers.ChoiceField(VIEWS, required=False)


class NewShare(StrictSerializer):
    cursor = ShareCursor(required=False)
    title = Name(required=False, min_length=1, max_length=MAX_TITLE)
    stored = Flag(required=False)

    def cursor_given(self) -> Cursor:
        return Cursor(**self.validated_data.get("cursor", {}))


class WhichShare(StrictSerializer):
    """A shared moment, named by the text of a link or by an ID."""

    link = Text(required=False, min_length=1, max_length=MAX_LINK)
    id = serializers.RegexField(ID, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError("must have either link or id")
        return attrs
