"""The number of values in a JSON text, counted before parsing takes memory."""

import re
from itertools import islice

_STRING_OR_VALUE = re.compile(r'"[^"]*"?|,|[\[{](?!\s*[\]}])')


def has_more_values(text: str, most: int) -> bool:
    """Return whether a text has more than `most` values: scalars, lists and objects. The text may be invalid JSON."""
    # Each value but the first follows a comma or an opening bracket. This quick count includes those in strings, and
    # is nearly always enough.
    if 1 + text.count(",") + text.count("[") + text.count("{") <= most:
        return False
    # Without escapes a string ends at the next quote, so that the search never starts within a string.
    plain = text.replace("\\\\", "").replace('\\"', "")
    found = (match for match in _STRING_OR_VALUE.finditer(plain) if plain[match.start()] != '"')
    return next(islice(found, most - 1, None), None) is not None if most > 0 else bool(plain.strip())
