"""Guesses at what was meant."""

from collections.abc import Iterable
from difflib import get_close_matches

from kube_objects.sentences import say


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `did you mean "NodeResourcesFit"?`, "" if no option is similar."""
    by_lower = {name.lower(): name for name in sorted(known)}
    near = get_close_matches(word.lower()[:100], list(by_lower), n=1, cutoff=0.75)
    return say('did you mean "{name}"?', name=by_lower[near[0]]) if near else ""


def hint_at_odd_spaces(name: str) -> str:
    """Return what to do about no-break and other unprintable characters in a field's name, "" if it has none."""
    if name.isprintable():
        return ""
    return say("its indentation has no-break spaces, which are part of the name; replace them with plain spaces")
