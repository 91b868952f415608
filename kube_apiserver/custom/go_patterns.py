"""Go's error messages for invalid regular expressions. Source: regexp/syntax/parse.go.

Errors that this module doesn't detect count as valid patterns.
"""

import re

_PERL = re.compile(r"\(\?(?!P?<|[imsU-]*[:)])[imsU-]*(.?)", re.DOTALL)
_NAME = re.compile(r"\(\?P?<(?:([^>]*)>)?")
_REPEATED = re.compile(r"\{(\d+)(,(\d*))?\}")
_ESCAPED = frozenset("abfnrtvxdswDSWpPABbzCQEz0123456789")
_MOST = 1000
_LONGEST = 10_000


def wrong(pattern: str) -> str:
    """Return Go's error for a pattern, or "" if Go compiles it."""
    found = _parsed(pattern) if len(pattern) <= _LONGEST else ""
    return f"error parsing regexp: {found}" if found else ""


def _parsed(pattern: str) -> str:
    depth, position, may_repeat, repeated_at = 0, 0, False, -1
    while position < len(pattern):
        sign, start = pattern[position], position
        position += 1
        if sign == "\\":
            if position == len(pattern):
                return "trailing backslash at end of expression: ``"
            escaped = pattern[position]
            position += 1
            if (escaped.isalnum() and escaped.isascii() and escaped not in _ESCAPED) or escaped in "89":
                return f"invalid escape sequence: `\\{escaped}`"
            may_repeat = True
        elif sign == "[":
            end, why = _class(pattern, start)
            if why:
                return why
            position, may_repeat = end, True
        elif sign == "(":
            if why := _group(pattern, start):
                return why
            depth, may_repeat = depth + 1, False
            if pattern.startswith("?", position):
                head = re.compile(r"\?(?:P?<[^>]*>|[imsU-]*:?)").match(pattern, position)
                position = head.end() if head else position
        elif sign == ")":
            depth, may_repeat = depth - 1, True
            if depth < 0:
                return f"unexpected ): `{pattern}`"
        elif sign == "|":
            may_repeat = False
        elif sign in "*+?" or (sign == "{" and _REPEATED.match(pattern, start)):
            counted = _REPEATED.match(pattern, start) if sign == "{" else None
            position = counted.end() if counted else position
            if pattern.startswith("?", position):
                position += 1
            whole = pattern[start:position]
            if not may_repeat:
                if repeated_at >= 0:
                    return f"invalid nested repetition operator: `{pattern[repeated_at:position]}`"
                return f"missing argument to repetition operator: `{whole}`"
            if counted and _too_often(counted):
                return f"invalid repeat count: `{counted[0]}`"
            may_repeat, repeated_at = False, start
            continue
        else:
            may_repeat = True
        repeated_at = -1
    return f"missing closing ): `{pattern}`" if depth else ""


def _too_often(counted: re.Match[str]) -> bool:
    least, most = int(counted[1][:9]), int((counted[3] or counted[1])[:9])
    return least > _MOST or most > _MOST or most < least


def _group(pattern: str, start: int) -> str:
    if not pattern.startswith("(?", start):
        return ""
    if named := _NAME.match(pattern, start):
        name = named[1]
        if name is None:
            return f"invalid named capture: `{pattern[start:]}`"
        return "" if re.fullmatch(r"\w+", name) else f"invalid named capture: `{named[0]}`"
    if odd := _PERL.match(pattern, start):
        return f"invalid or unsupported Perl syntax: `{odd[0]}`"
    return ""


def _class(pattern: str, start: int) -> tuple[int, str]:
    """Return the end of a character class, or the error message."""
    position = start + (2 if pattern.startswith("[^", start) else 1)
    first = position
    last: str | None = None
    while position < len(pattern) and (pattern[position] != "]" or position == first):
        sign, begin = pattern[position], position
        if sign == "-" and last is not None and pattern[position + 1 : position + 2] not in ("", "]"):
            end = position + 2 + (pattern[position + 1] == "\\")
            if last > pattern[end - 1] and pattern[position + 1] != "\\":
                return 0, f"invalid character class range: `{last}-{pattern[end - 1]}`"
            position, last = end, None
            continue
        if sign == "[" and pattern.startswith("[:", position) and ":]" in pattern[position:]:
            position, last = pattern.index(":]", position) + 2, None
            continue
        position += 2 if sign == "\\" else 1
        last = sign if sign != "\\" else None
        if begin >= len(pattern):
            break
    if position >= len(pattern):
        return 0, f"missing closing ]: `{pattern[start:]}`"
    return position + 1, ""
