"""Decoder of FailedScheduling texts pasted from `kubectl describe`, from Events or from logs.

It never raises. A part that matches no known reason is returned unchanged and marked as unknown.
"""

import re
from typing import Literal, TypedDict

from kube_objects.sentences import Data, Template, plural
from simulator.explain.known import describe
from simulator.explain.known.entry import Described

# Longer than an Event's note (1 KiB) and than a log line; the decoder ignores the rest.
MAX_CHARACTERS = 16_384
MAX_PARTS = 200

Kind = Literal["noFit", "scaleUp", "other"]
NO_FIT: Kind = "noFit"
SCALE_UP: Kind = "scaleUp"
OTHER: Kind = "other"

_NODES = re.compile(r"(?P<fit>\d{1,9})/(?P<total>\d{1,9}) nodes are (?:un)?available\b:?\s*")
# Up to v1.10 the number of nodes stood behind each reason.
_PREDICATES = re.compile(
    r"(?:[Nn]o nodes are available that match all of the (?:following )?predicates:+"
    r"|fit failure summary on nodes ?:)\s*"
)
# Volcano's, when it does not count the nodes.
_ALL_NODES = re.compile(r"\ball nodes are unavailable: ")
_KARPENTER = re.compile(r"\b(?:[Ff]ailed to|[Cc]ould not) schedule pod, ")
_POOLS = re.compile(r"; (?=incompatible with |all available )")
_POOL = re.compile(
    r'incompatible with (?:nodepool|provisioner)(?: "[^"]*")?(?:, NodePool=[^\s,]+)?'
    r"(?:, daemonset overhead=\{[^}]*\})?,\s*"
)
_SENTENCE_END = re.compile(r"\.+ ")
# Borders that tools draw around a text.
_BOX = re.compile(r"[│┃║]")
_BAR = re.compile(r"\s*\|(.*)\|\s*")
_RULE = re.compile(r"[\s─━═┌┐└┘├┤┬┴┼╭╮╰╯╔╗╚╝+|-]*")
# The first line after a wrapped message.
_NEW_LINE = re.compile(r"(?:Warning|Normal)\b|\d+[smhd]\w*\s|[IWEF]\d{4} |[\w./-]+:(?:\s|$)(?<!preemption: )|[{\[]")
_SCALE_UP = re.compile(r"pod didn't trigger scale-up(?: \([^)]*\))?:\s*")
# Where a log line or JSON quotes the message.
_QUOTE = re.compile(r'(?:\berr=|(?<!, )"?message"?[:=]\s*)(?P<mark>["\'])')
# The columns of `kubectl describe pod` and `kubectl get events` before the message.
_EVENT = re.compile(
    r"\bFailedScheduling\s+(?:\S+\s+(?:\(x\d+ over \S+\)\s+)?)?(?:from\s+)?(?:\S*scheduler\S*|pod/\S+)\s+"
)
_NEXT_REASON = re.compile(r", (?=\d+ )")
_COUNTED = re.compile(r"(\d{1,9}) ?(.*)", re.DOTALL)
_NAMED_FIRST = re.compile(r"(.+?) \((\d{1,9})\)(?:, |\.?\s*$)")
_IN_PLUGIN = re.compile(
    r'(?:binding rejected: )?(?:error while )?running (?:(?P<point>\w+) plugin )?"(?P<plugin>\w+)"'
    r"(?: (?P<old>(?:pre)?(?:filter|bind)) plugin)?"
    r'(?: for pod "[^"]*")?: (?P<rest>.*)',
    re.DOTALL,
)
_CLOSING = re.compile(r'"|\\.', re.DOTALL)
_SINGLE_QUOTED = re.compile(r"(?:[^']|'')*+")

_OLD_POINTS = {"filter": "Filter", "prefilter": "PreFilter", "prebind": "PreBind", "bind": "Bind"}

EMPTY = Template("there is no text to decode")
UNKNOWN = Template("this is no text that kube-scheduler is known to give")
ALL_KNOWN = Template("every part was recognised")
SOME_UNKNOWN = plural(
    "{count} part was not recognised: it may come from an extender or an out-of-tree plugin",
    "{count} parts were not recognised: they may come from an extender or an out-of-tree plugin",
)
SEVERAL = Template("a node may have several reasons, so that their numbers add up to more than {total}")
CUT = Template("the text was cut off: events hold no more than 1,024 characters")


class _Part(TypedDict):
    text: str
    count: int | None
    reason: str
    known: bool


class DecodedPart(_Part, Described):
    pass


class ExplainedDecodedPreemption(TypedDict):
    total: int | None
    parts: list[DecodedPart]


class ExplainedDecoded(TypedDict):
    text: str
    kind: Kind
    total: int | None
    fit: int | None
    parts: list[DecodedPart]
    postFilter: list[DecodedPart]
    preemption: ExplainedDecodedPreemption | None
    notes: list[Data]
    recognised: bool


def decode(text: str) -> ExplainedDecoded:
    """Split an Event or a log line into its parts, and describe each.

    `text` is the message inside it; `kind` is `noFit`, `scaleUp` (from the cluster autoscaler or Karpenter) or `other`.
    `count` is a number of nodes, None for all of them. `postFilter` are the texts after the nodes' reasons.
    """
    message = _extract_message(text[:MAX_CHARACTERS])
    head = _NODES.search(message)
    old = _PREDICATES.search(message)
    scale_up = _SCALE_UP.search(message)
    if scale_up is not None and (head is None or scale_up.start() < head.start()):
        return _result(message[scale_up.start() :], SCALE_UP, None, _reasons(message[scale_up.end() :]), [], None)
    if head is not None:
        return _no_fit(message[head.start() :], head)
    if old is not None:
        parts = [
            _part(f"{reason} ({count})", int(count), reason) for reason, count in _named_counts(message, old.end())
        ]
        return _result(message[old.start() :], NO_FIT, None, parts, [], None)
    karpenter = _KARPENTER.search(message)
    if karpenter is not None:
        pools = _POOLS.split(message[karpenter.end() :].rstrip("."))[:MAX_PARTS]
        parts = [_part(pool, None, _POOL.sub("", pool, count=1)) for pool in pools]
        return _result(message[karpenter.start() :], SCALE_UP, None, parts, [], None)
    everywhere = _ALL_NODES.search(message)
    if everywhere is not None:
        return _result(message[everywhere.start() :], NO_FIT, None, _reasons(message[everywhere.end() :]), [], None)
    stripped = message.strip().rstrip(".")
    return _result(stripped, OTHER, None, [_part(stripped, None, stripped)] if stripped else [], [], None)


def _extract_message(text: str) -> str:
    """Return the message in one line, without the quotes of logs and JSON and without the columns of an Event."""
    quote = _QUOTE.search(text)
    if quote is not None:
        text = _unquote(text[quote.end() :], quote["mark"])
    event = _EVENT.search(text)
    if event is not None:
        text = text[event.end() :]
    lines = [line for line in map(_strip_border, text.splitlines()) if line]
    first = next((i for i, line in enumerate(lines) if _NODES.search(line) or _PREDICATES.search(line)), None)
    message = lines if first is None else _message_lines(lines[first:])
    return " ".join(" ".join(message).split())


def _strip_border(line: str) -> str:
    """Return a line without the borders that a tool drew around it."""
    barred = _BAR.fullmatch(line)
    inner = _BOX.sub(" ", line if barred is None else barred[1].replace("|", " ")).strip()
    return "" if _RULE.fullmatch(inner) else inner


def _message_lines(lines: list[str]) -> list[str]:
    """Return the first line and the lines after it that continue its message."""
    for i, line in enumerate(lines[1:], 1):
        over = lines[i - 1].endswith(".") and not line.startswith("preemption: ")
        if over or _NEW_LINE.match(line):
            return lines[:i]
    return lines


def _unquote(text: str, mark: str) -> str:
    """Return the text before the closing quote, without the escapes of JSON, Go or YAML."""
    if mark == "'":
        inside = _SINGLE_QUOTED.match(text)
        return "" if inside is None else inside[0].replace("''", "'")
    end = next((match.start() for match in _CLOSING.finditer(text) if match[0] == '"'), len(text))
    unescaped = _CLOSING.sub(lambda match: " " if match[0][1:] in ("n", "t", "r", "\n") else match[0][1:], text[:end])
    return unescaped.replace('\\"', '"')


def _no_fit(message: str, head: re.Match[str]) -> ExplainedDecoded:
    body, after = _first_sentence(message[head.end() - head.start() :])
    others, preemption = _post_filter(after)
    parts = _reasons(body)
    return _result(message, NO_FIT, head, parts, others, preemption)


def _reasons(body: str) -> list[DecodedPart]:
    """Split `3 Insufficient cpu, 2 node(s) …` into parts.

    A text without a number comes from a PreFilter plugin and is about all nodes.
    """
    body = body.strip().rstrip(".")
    if not body:
        return []
    if not body[0].isdigit():
        return [_part(body, None, body)]
    parts = []
    for piece in _NEXT_REASON.split(body)[:MAX_PARTS]:
        counted = _COUNTED.fullmatch(piece)
        count, reason = (int(counted[1]), counted[2].strip()) if counted is not None else (None, piece)
        parts.append(_part(piece.strip(), count, reason))
    return parts


def _named_counts(message: str, start: int) -> list[tuple[str, str]]:
    """Find `reason (count)` pairs, the format up to v1.10."""
    return [(match[1], match[2]) for match in _NAMED_FIRST.finditer(message, start)][:MAX_PARTS]


def _post_filter(after: str) -> tuple[list[DecodedPart], ExplainedDecodedPreemption | None]:
    """Return the texts of PostFilter plugins, and preemption's own counts of nodes."""
    before, marker, preemption = after.partition("preemption: ")
    texts = [text for text in before.strip(" ,.").split(", ") if text]
    parts = [_part(text, None, text) for text in texts[:MAX_PARTS]]
    if not marker:
        return parts, None
    head = _NODES.match(preemption)
    if head is None:
        reason = preemption.strip()
        return parts, {"total": None, "parts": [_part(reason, None, reason)]}
    body, more = _first_sentence(preemption[head.end() :])
    parts += [_part(text, None, text) for text in more.strip().rstrip(".").split(", ") if text]
    return parts, {"total": int(head["total"]), "parts": _reasons(body)}


def _first_sentence(text: str) -> tuple[str, str]:
    """Split a text at the first run of dots that a space follows."""
    end = _SENTENCE_END.search(text)
    return (text, "") if end is None else (text[: end.start()], text[end.end() :])


def _part(text: str, count: int | None, reason: str) -> DecodedPart:
    inner = _IN_PLUGIN.fullmatch(reason)
    described = describe(reason if inner is None else inner["rest"].rstrip("."))
    if inner is not None:
        point = inner["point"] or _OLD_POINTS.get(inner["old"] or "") or described["point"] or "Filter"
        described["plugin"], described["point"] = inner["plugin"], point
    known = described["meaning"] is not None
    return {"text": text, "count": count, "reason": reason, "known": known, **described}


def _result(
    message: str,
    kind: Kind,
    head: re.Match[str] | None,
    parts: list[DecodedPart],
    post_filter: list[DecodedPart],
    preemption: ExplainedDecodedPreemption | None,
) -> ExplainedDecoded:
    total = None if head is None else int(head["total"])
    all_parts = [*parts, *post_filter, *([] if preemption is None else preemption["parts"])]
    unknown = sum(not part["known"] for part in all_parts)
    notes = []
    if not all_parts:
        notes.append(EMPTY())
    elif unknown == len(all_parts) and kind == OTHER:
        notes.append(UNKNOWN())
    else:
        notes.append(SOME_UNKNOWN(count=unknown) if unknown else ALL_KNOWN())
    if total is not None and sum(part["count"] or 0 for part in parts) > total:
        notes.append(SEVERAL(total=total))
    if message.endswith("..."):
        notes.append(CUT())
    return {
        "text": message,
        "kind": kind,
        "total": total,
        "fit": None if head is None else int(head["fit"]),
        "parts": parts,
        "postFilter": post_filter,
        "preemption": preemption,
        "notes": notes,
        "recognised": bool(all_parts) and not unknown,
    }
