"""A recorded sequence: its content, and the first difference of its replay."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tests.conformance.controllers.checks import ApiServer
from tests.conformance.controllers.drawn_names import Names
from tests.conformance.controllers.events import Event
from tests.conformance.controllers.kubectl import Kubectl
from tests.conformance.controllers.kubectl_results import Answer
from tests.conformance.controllers.player import Player, quiet_of

# A shell that runs a line, with `kubectl` in it.
Shell = Callable[[str, Kubectl], Answer]
LOOKS_SECONDS = 0.15  # between two steps: the recorder looked at everything, about so long
_VARIES = "<varies>"
_OF_EVENT = ("object", "type", "reason", "message", "from", "count", "times")


def first_difference(sequence: Mapping[str, Any], shell: Shell, server: ApiServer) -> str:
    """Return the first difference between the replayed and the recorded cluster; "" for none."""
    files: Mapping[str, str] = sequence.get("files") or {}
    player = Player(sequence.get("nodes") or (), quiet_of(list(files.values())))
    player.with_nodes = any("node" in pod for step in sequence["steps"] for pod in step["state"].get("pods", ()))
    kubectl, theirs = Kubectl(player, files, server), Names()
    for at, step in enumerate(sequence["steps"], 1):
        printed = _take(step, player, kubectl, shell)
        player.rest(step.get("quiet"))
        found = player.look()
        difference = next(_differences(step, found, player, theirs, printed), "")
        if difference:
            return f"step {at} ({_title(step)}): {difference}"
    return ""


def _title(step: Mapping[str, Any]) -> str:
    return str(step.get("run") or (f"kubelet {step['kubelet']}" if "kubelet" in step else f"wait {step.get('wait')}"))


def _take(step: Mapping[str, Any], player: Player, kubectl: Kubectl, shell: Shell) -> str:
    """Run the step; return the differences that occurred meanwhile."""
    player.wait(LOOKS_SECONDS)
    if "run" in step:
        answer = shell(step["run"], kubectl)
        if answer.code != step["exit"]:
            return f"exit {answer.code} instead of {step['exit']}: {answer.err or answer.out}"
    elif "kubelet" in step:
        count = player.kubelet(step["kubelet"], step.get("count"), step.get("pod"), step.get("code", 1))
        if count != step["changed"]:
            return f"the kubelet changed {count} pods instead of {step['changed']}"
    else:
        player.wait(step["wait"])
    return ""


def _differences(
    step: Mapping[str, Any], found: Mapping[str, Any], player: Player, theirs: Names, printed: str
) -> Iterator[str]:
    if printed:
        yield printed
    wanted = theirs.plain_in({key: step[key] for key in ("podsCreated", "podsGone", "state")})
    yield from _compare("podsCreated", sorted(wanted["podsCreated"]), found["podsCreated"])
    gone = found["podsGone"]
    if step.get("podsGonePartial"):
        wanted["podsGone"], gone = sorted(_names(wanted["podsGone"])), sorted(_names(gone))
    yield from _compare("podsGone", sorted(wanted["podsGone"], key=str), sorted(gone, key=str))
    yield from _compare_states(wanted["state"], found["state"])
    events: Sequence[Event] = found["events"]
    yield from _compare_events(step, player.events_of(events), theirs)


def _names(gone: Sequence[Any]) -> list[str]:
    return [one if isinstance(one, str) else one[0] for one in gone]


def _compare_states(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    for kind in sorted({*wanted, *found}):
        if kind == "pods":
            ours, recorded = (sorted(pods, key=str) for pods in (_ordered(found[kind]), _ordered(wanted[kind])))
            yield from _compare("pods", recorded, ours)
        elif isinstance(wanted.get(kind), Mapping) or isinstance(found.get(kind), Mapping):
            for name in sorted({*wanted.get(kind, {}), *found.get(kind, {})}):
                yield from _compare(f"{kind} {name}", wanted.get(kind, {}).get(name), found.get(kind, {}).get(name))
        else:
            yield from _compare(kind, sorted(wanted.get(kind, ())), sorted(found.get(kind, ())))


def _ordered(pods: Sequence[Mapping[str, Any]]) -> list[list[tuple[str, Any]]]:
    return [sorted(pod.items()) for pod in pods]


def _compare(path: str, wanted: Any, found: Any) -> Iterator[str]:
    """Compare two values. Fields that the recording omits differed between its takes, so they aren't compared."""
    if wanted in (_VARIES, found):
        return
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        for key in sorted({*wanted, *found}):
            if key not in wanted and key in ("generation", "observedGeneration"):
                continue
            yield from _compare(f"{path}.{key}", wanted.get(key), found.get(key))
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found) and _VARIES in str(wanted):
        for at, (one, other) in enumerate(zip(wanted, found, strict=True)):
            yield from _compare(f"{path}[{at}]", one, other)
    else:
        yield f"{path}: {_short(found)} instead of {_short(wanted)}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 600 else text[:600] + "…"


def _compare_events(step: Mapping[str, Any], found: list[dict[str, Any]], theirs: Names) -> Iterator[str]:
    wanted = [theirs.plain_in({key: one[key] for key in _OF_EVENT}) for one in step["events"]]
    if step.get("eventsPartial"):
        ours = {(one["object"], one["reason"], one["message"]) for one in found}
        missing = [one for one in wanted if (one["object"], one["reason"], one["message"]) not in ours]
        if missing:
            yield f"events: {missing} missing among {found}"
        return
    extra = [one for one in found if one not in wanted]
    missing = [one for one in wanted if one not in found]
    if extra or missing:
        yield f"events: {_short(extra)} instead of {_short(missing)}"
