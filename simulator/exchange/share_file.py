"""Shared snapshot: a scenario and a cursor into it. A small one fits into a link, behind the # of an address.

The document is `{"share": 1, "trace": n, "title", "scenario", "cursor"}`; `trace` is the version of the trace format of
its commands. A link is `1.` and the document as JSON, compressed (raw deflate) and written in base64url.
"""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.problems import Problem
from simulator.exchange import scenario as scenarios
from simulator.exchange.scenario import Scenario, ScenarioError
from simulator.simulation.records import VERSION as TRACE_VERSION

SHARE_VERSION = 1
PREFIX = f"{SHARE_VERSION}."
# Limits: characters of a link, which chats and mail programs transmit intact, and bytes of the unpacked document.
MAX_LINK = 8_000
MAX_UNFOLDED = 256 * 1024
MAX_TITLE = 100
MAX_NAME = 400
MAX_NUMBER = 10**9
VIEWS = ("why", "scores", "spread", "preemption", "time", "pod", "node", "events", "profile")
NAMES = ("pod", "node", "plugin")
_FIELDS = ("share", "trace", "title", "scenario", "cursor")
_CURSOR_FIELDS = ("cycle", "event", *NAMES, "view")
_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")


class ShareError(ValueError):
    """Error for data that is not a shared snapshot; `problems` lists everything that is wrong."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


@dataclass(slots=True, frozen=True)
class Cursor:
    """A position in a scenario.

    `event` is the step of the cycle, None for the whole cycle; `cycle` None is the newest one.
    """

    cycle: int | None = None
    event: int | None = None
    pod: str | None = None
    node: str | None = None
    plugin: str | None = None
    view: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that are set."""
        return {name: getattr(self, name) for name in _CURSOR_FIELDS if getattr(self, name) is not None}


@dataclass(slots=True, frozen=True)
class Share:
    """A shared snapshot; it is immutable."""

    title: str
    scenario: Scenario
    cursor: Cursor = field(default_factory=Cursor)

    def document(self) -> dict[str, Any]:
        """Return the form that is stored and packed; `parse_share` reads it."""
        return {
            "share": SHARE_VERSION,
            "trace": TRACE_VERSION,
            "title": self.title,
            "scenario": scenarios.document(self.scenario),
            "cursor": self.cursor.as_dict(),
        }


def merge_steps(commands: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the commands with consecutive single steps merged into one run, which is faster to play.

    All commands must have left records, because a step without a pod ends a run.
    """
    merged: list[dict[str, Any]] = []
    for kind, group in groupby(commands, lambda command: command["kind"]):
        steps = [dict(command) for command in group]
        if kind == "schedule_one" and len(steps) > 1:
            steps = [{"kind": "run", "until": {"cycles": len(steps)}}]
        merged += steps
    return merged


def text_of(document: Mapping[str, Any]) -> str:
    """Return a document's canonical JSON."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def pack(text: str) -> str | None:
    """Return the link text of a document, None if it is too large for a link."""
    data = text.encode()
    if len(data) > MAX_UNFOLDED:
        return None
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    folded = base64.urlsafe_b64encode(packer.compress(data) + packer.flush()).decode().rstrip("=")
    link = PREFIX + folded
    return link if len(link) <= MAX_LINK else None


def unpack(link: str) -> bytes:
    """Return the bytes of the document in a link, without parsing them.

    At most MAX_UNFOLDED bytes are unpacked. Raises ShareError.
    """
    if len(link) > MAX_LINK:
        raise _wrong(
            say("has {n} characters; a link has at most {most}", n=len(link), most=MAX_LINK),
            hint=say("it may be two links in one"),
        )
    version, dot, folded = link.partition(".")
    if not dot or version != str(SHARE_VERSION):
        hint = say("it may be incomplete, or from a newer playground")
        raise _wrong(say('must begin with "{prefix}"', prefix=PREFIX), version[:20], hint)
    if not _BASE64URL.fullmatch(folded):
        raise _wrong(say("contains characters that a link cannot have"), hint=say("it may be incomplete or damaged"))
    try:
        data = base64.urlsafe_b64decode(folded + "=" * (-len(folded) % 4))
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        unpacked = unpacker.decompress(data, MAX_UNFOLDED + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise _wrong(say("is damaged"), hint=say("it may be incomplete or damaged")) from error
    if len(unpacked) > MAX_UNFOLDED:
        raise _wrong(say("decompresses to more than {n} bytes", n=MAX_UNFOLDED))
    if not unpacker.eof or unpacker.unused_data:
        raise _wrong(say("is damaged: the end is missing, or extra data follows it"), hint=say("it may be incomplete"))
    return unpacked


def parse_share(document: Any) -> Share:
    """Return the snapshot in a document. Raises ShareError with all problems."""
    if not isinstance(document, dict):
        raise ShareError([Problem("", None, say("must be an object"))])
    _check_versions(document)
    problems = [
        Problem(name, None, say("is not a field of a shared snapshot")) for name in document if name not in _FIELDS
    ]
    title, cursor = document.get("title", ""), document.get("cursor", {})
    if not isinstance(title, str) or len(title) > MAX_TITLE:
        problems.append(Problem("title", title, say("must be a string of at most {n} characters", n=MAX_TITLE)))
    problems += _check_cursor(cursor)
    scenario = Scenario("")
    try:
        scenario = scenarios.parse_scenario(document.get("scenario"))
    except ScenarioError as error:
        problems += [
            Problem(f"scenario.{problem.path}".rstrip("."), problem.value, problem.rule, problem.hint)
            for problem in error.problems
        ]
    if problems:
        raise ShareError(problems)
    return Share(title, scenario, Cursor(**cursor))


def _check_versions(document: dict[str, Any]) -> None:
    """Raise ShareError for a document of another version."""
    share, trace = document.get("share"), document.get("trace")
    problems = []
    if type(share) is not int or share != SHARE_VERSION:
        problems.append(Problem("share", share, say("must be {wanted}", wanted=SHARE_VERSION)))
    if type(trace) is not int or trace != TRACE_VERSION:
        rule = say("must be {wanted}", wanted=TRACE_VERSION)
        problems.append(Problem("trace", trace, rule, hint=say("a newer playground may have made it")))
    if problems:
        raise ShareError(problems)


def _check_cursor(cursor: Any) -> Iterator[Problem]:
    if not isinstance(cursor, dict):
        yield Problem("cursor", cursor, say("must be an object"))
        return
    for name, value in cursor.items():
        path = f"cursor.{name}"
        if name in ("cycle", "event"):
            if type(value) is not int or not 0 <= value <= MAX_NUMBER:
                yield Problem(path, value, say("must be a whole number from 0 to {most}", most=MAX_NUMBER))
        elif name in NAMES:
            if not isinstance(value, str) or not 0 < len(value) <= MAX_NAME:
                yield Problem(path, value, say("must be a name of at most {n} characters", n=MAX_NAME))
        elif name == "view":
            if value not in VIEWS:
                yield Problem(path, value, say("must be one of {choices}", choices=", ".join(VIEWS)))
        else:
            yield Problem(path, value, say("unknown field; the fields are: {names}", names=", ".join(_CURSOR_FIELDS)))


def _wrong(rule: str, value: object = None, hint: str = "") -> ShareError:
    return ShareError([Problem("link", value, rule, hint)])
