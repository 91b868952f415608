"""Upper bounds of the size of an expression's values, from which its work is calculated."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import cel

# Dates and durations as text.
_OTHER_TEXT = 32


@dataclass(frozen=True, slots=True)
class Extent:
    """Upper bounds of a value.

    `items`: entries of the list or map itself; `values`: all values in it, with itself; `text`: characters of all
    texts in it. `element` bounds each entry, if it is known better than by these numbers. `known` are the values that
    it can be, if it is a part of what exists.
    """

    items: int
    values: int
    text: int
    element: "Extent | None" = None
    known: tuple[Any, ...] | None = None


SCALAR = Extent(0, 1, 0)


class TooManyError(Exception):
    """The calculation itself looks at too many values."""


class Measure:
    """The sizes of values that exist. Each is counted once.

    `looked`: at how many values it has looked so far; `most`: at how many it may look.
    """

    def __init__(self) -> None:
        self.looked, self.most = 0, 1 << 62
        # Lists and maps by their id. The roots stay referenced, so no other value gets the id.
        self._sizes: dict[int, tuple[int, int]] = {}
        self._roots: list[Any] = []

    def extent(self, value: Any) -> Extent:
        """Return the extent of one value."""
        return self.of_any((value,))

    def of_any(self, alternatives: Iterable[Any]) -> Extent:
        """Return the extent of a value that is one of these."""
        known = tuple(map(_inner, alternatives))
        self.looked += len(known)
        if self.looked > self.most:
            raise TooManyError
        items, values, text = 0, 1, 0
        for value in known:
            if isinstance(value, str):
                text = max(text, len(value))
            elif isinstance(value, Mapping | list):
                size = self._size(value)
                items, values, text = max(items, len(value)), max(values, size[0]), max(text, size[1])
            elif not isinstance(value, bool | int | float | None):
                text = max(text, _OTHER_TEXT)
        return Extent(items, values, text, known=known)

    def field(self, extent: Extent, name: str) -> Extent:
        """Return the extent of a field, or of what a text selects in a map."""
        if extent.known is None:
            return _part(extent)
        return self.of_any(value[name] for value in extent.known if isinstance(value, Mapping) and name in value)

    def elements(self, extent: Extent) -> Extent:
        """Return the extent of what a comprehension iterates over: the items of a list, the keys of a map."""
        if extent.known is None:
            return _part(extent)
        return self.of_any(item for value in extent.known if isinstance(value, Mapping | list) for item in value)

    def entries(self, extent: Extent) -> Extent:
        """Return the extent of what an index selects: an item of a list, a value of a map."""
        if extent.known is None:
            return _part(extent)
        return self.of_any(
            item
            for value in extent.known
            if isinstance(value, Mapping | list)
            for item in (value.values() if isinstance(value, Mapping) else value)
        )

    def _size(self, value: Any) -> tuple[int, int]:
        if id(value) not in self._sizes:
            self._roots.append(value)
            self._count(value)
        return self._sizes[id(value)]

    def _count(self, value: Any) -> tuple[int, int]:
        if (size := self._sizes.get(id(value))) is not None:
            return size
        values, text = 1, 0
        inner = value
        if isinstance(value, Mapping):
            values += len(value)
            self.looked += len(value)
            text += sum(map(len, value))
            inner = value.values()
        for item in inner:
            if isinstance(item, str):
                values, text = values + 1, text + len(item)
            elif isinstance(item := _inner(item), Mapping | list):
                size = self._count(item)
                values, text = values + size[0], text + size[1]
            else:
                values += 1
        self._sizes[id(value)] = values, text
        return values, text


def _inner(value: Any) -> Any:
    """Return the value in an optional value."""
    if isinstance(value, cel.OptionalValue):
        return value.value() if value.has_value() else None
    return value


def _part(extent: Extent) -> Extent:
    if extent.element is not None:
        return extent.element
    # A part has no more entries than the whole has values.
    return Extent(extent.values - 1, extent.values, extent.text)


def joined(extents: Iterable[Extent]) -> Extent:
    """Return the extent of a value that one of these bounds."""
    extents = list(extents)
    if all(each.known is not None for each in extents):
        known = tuple(value for each in extents for value in each.known or ())
    else:
        known = None
    elements = [each.element for each in extents if each.element is not None]
    return Extent(
        max((each.items for each in extents), default=0),
        max((each.values for each in extents), default=1),
        max((each.text for each in extents), default=0),
        joined(elements) if known is None and len(elements) == len(extents) else None,
        known,
    )


def together(extents: Iterable[Extent]) -> Extent:
    """Return the extent of a value that is put together from all of these."""
    extents = list(extents)
    return Extent(
        sum(each.items + 1 for each in extents),
        1 + sum(each.values for each in extents),
        sum(each.text for each in extents),
    )
