"""What Go says of a pattern that is none. Source: regexp/syntax/parse.go; what it does not tell is taken for one."""

import re

_PERL = re.compile(r"\(\?(?!P?<|[imsU-]*[:)])[imsU-]*(.?)", re.DOTALL)
_NAME = re.compile(r"\(\?P?<(?:([^>]*)>)?")
_REPEATED = re.compile(r"\{(\d+)(,(\d*))?\}")
_ESCAPED = frozenset("abfnrtvxdswDSWpPABbzCQEz0123456789")
_MOST = 1000
_LONGEST = 10_000


def wrong(pattern: str) -> str:
    """ "" for one that Go compiles."""
    found = _parsed(pattern) if len(pattern) <= _LONGEST else ""
    return f"error parsing regexp: {found}" if found else ""


def _parsed(pattern: str) -> str:
    depth, at, may_repeat, repeated_at = 0, 0, False, -1
    while at < len(pattern):
        sign, start = pattern[at], at
        at += 1
        if sign == "\\":
            if at == len(pattern):
                return "trailing backslash at end of expression: ``"
            escaped = pattern[at]
            at += 1
            if (escaped.isalnum() and escaped.isascii() and escaped not in _ESCAPED) or escaped in "89":
                return f"invalid escape sequence: `\\{escaped}`"
            may_repeat = True
        elif sign == "[":
            end, why = _class(pattern, start)
            if why:
                return why
            at, may_repeat = end, True
        elif sign == "(":
            if why := _group(pattern, start):
                return why
            depth, may_repeat = depth + 1, False
            if pattern.startswith("?", at):
                head = re.compile(r"\?(?:P?<[^>]*>|[imsU-]*:?)").match(pattern, at)
                at = head.end() if head else at
        elif sign == ")":
            depth, may_repeat = depth - 1, True
            if depth < 0:
                return f"unexpected ): `{pattern}`"
        elif sign == "|":
            may_repeat = False
        elif sign in "*+?" or (sign == "{" and _REPEATED.match(pattern, start)):
            counted = _REPEATED.match(pattern, start) if sign == "{" else None
            at = counted.end() if counted else at
            if pattern.startswith("?", at):
                at += 1
            whole = pattern[start:at]
            if not may_repeat:
                if repeated_at >= 0:
                    return f"invalid nested repetition operator: `{pattern[repeated_at:at]}`"
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
    """Where a class of signs ends, or why it is none."""
    at = start + (2 if pattern.startswith("[^", start) else 1)
    first = at
    last: str | None = None
    while at < len(pattern) and (pattern[at] != "]" or at == first):
        sign, begin = pattern[at], at
        if sign == "-" and last is not None and pattern[at + 1 : at + 2] not in ("", "]"):
            end = at + 2 + (pattern[at + 1] == "\\")
            if last > pattern[end - 1] and pattern[at + 1] != "\\":
                return 0, f"invalid character class range: `{last}-{pattern[end - 1]}`"
            at, last = end, None
            continue
        if sign == "[" and pattern.startswith("[:", at) and ":]" in pattern[at:]:
            at, last = pattern.index(":]", at) + 2, None
            continue
        at += 2 if sign == "\\" else 1
        last = sign if sign != "\\" else None
        if begin >= len(pattern):
            break
    if at >= len(pattern):
        return 0, f"missing closing ]: `{pattern[start:]}`"
    return at + 1, ""
