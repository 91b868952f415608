"""How many values a JSON text holds, told before any of them takes memory."""

import re
from itertools import islice

_STRING_OR_VALUE = re.compile(r'"[^"]*"?|,|[\[{](?!\s*[\]}])')


def has_more_values(text: str, most: int) -> bool:
    """Whether a text holds more than `most` values: scalars, lists and objects. It may turn out to be no JSON."""
    # Every value but the first one follows a comma or the beginning of a list or object. Those in strings count along
    # at first: that is quick, and nearly always enough to know.
    if 1 + text.count(",") + text.count("[") + text.count("{") <= most:
        return False
    # Without escapes a string ends at the next quote, and no search can begin anew within one.
    plain = text.replace("\\\\", "").replace('\\"', "")
    found = (match for match in _STRING_OR_VALUE.finditer(plain) if plain[match.start()] != '"')
    return next(islice(found, most - 1, None), None) is not None if most > 0 else bool(plain.strip())
