"""How a kind says which fields scheduling reads; everything else is kept, and said to be unused.

A field maps to the fields below it, or to ALL if everything below it is read. Lists are looked through.
"""

from collections.abc import Mapping
from typing import TypeAlias

Fields: TypeAlias = Mapping[str, "Fields | None"]

ALL = None

META_FIELDS: Fields = dict.fromkeys(
    (
        "name",
        "generateName",
        "namespace",
        "uid",
        "labels",
        "annotations",
        "ownerReferences",
        "creationTimestamp",
        "deletionTimestamp",
    ),
    ALL,
)
