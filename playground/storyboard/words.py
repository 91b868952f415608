"""The page's own words, in the reader's language: what is said of a step in the file is what the page says of it."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import get_language
from django.utils.translation.trans_real import DjangoTranslation

Step = Mapping[str, Any]
PAGE_DOMAIN = "djangojs"
SKIP, ERROR = "Skip", "Error"


def number(value: int) -> str:
    return f"{value:,}"


class Words:
    """Sentences of `static/js/words.js` from the page's catalogue, which has them in every language."""

    def __init__(self) -> None:
        self.language = get_language() or "en"
        self._catalogue = DjangoTranslation(self.language, domain=PAGE_DOMAIN)
        self._sentences: Mapping[str, Callable[[Step, Mapping[str, Any]], str]] = {
            "QueueSort": self._queue_sort,
            "Sample": self._sample,
            "Filter": self._filter,
            "PostFilter": self._post_filter,
            "Score": self._score,
            "NormalizeScore": self._normalize,
            "SelectHost": self._select_host,
            "Assume": self._assume,
        }

    def say(self, text: str, **values: object) -> str:
        """The text in the reader's language, with the values in their places."""
        said = str(self._catalogue.gettext(text))
        for name, value in values.items():
            said = said.replace(f"{{{name}}}", str(value))
        return said

    def count(self, one: str, many: str, n: int) -> str:
        return str(self._catalogue.ngettext(one, many, n)).replace("{n}", number(n))

    def sentence(self, step: Step, cycle: Mapping[str, Any], skipped: list[str]) -> str:
        """One sentence for a step; `skipped`: the plugins that skip at once, when they do."""
        if step["code"] == SKIP and len(skipped) > 1:
            text = "{n} plugins skip, they have nothing to say about this pod: {plugins}"
            return self.say(text, n=len(skipped), plugins=", ".join(skipped))
        if step["code"] == SKIP:
            return self.say("skips: it has nothing to say about this pod")
        if step["code"] == ERROR:
            return _result(step)
        known = self._sentences.get(step["point"])
        return _result(step) if known is None else known(step, cycle)

    def outcome(self, cycle: Mapping[str, Any]) -> str:
        """How the attempt ended."""
        if cycle["outcome"] == "scheduled":
            return self.say("scheduled on {node}", node=cycle["node"])
        if cycle["outcome"] == "waiting":
            return self.say("waits at Permit for {node}", node=cycle["node"])
        return cycle["message"] or self.say(cycle["outcome"])

    def _queue_sort(self, step: Step, cycle: Mapping[str, Any]) -> str:
        text = "{pod} comes first in the queue, with priority {priority}"
        return self.say(text, pod=cycle["pod"], priority=cycle["priority"])

    def _sample(self, step: Step, cycle: Mapping[str, Any]) -> str:
        nodes = cycle["nodes"]
        total = number(nodes["total"])
        if nodes["toFind"] is None or nodes["toFind"] >= nodes["total"]:
            return self.say("All {total} nodes are looked at", total=total)
        text = "{want} feasible nodes of {total} are enough; the search starts at node {start} of the list"
        return self.say(text, want=number(nodes["toFind"]), total=total, start=number(nodes["start"]))

    def _filter(self, step: Step, cycle: Mapping[str, Any]) -> str:
        text = self.say(
            "{in} nodes in, {out} left", **{"in": number(step.get("in", 0)), "out": number(step.get("out", 0))}
        )
        rejected = (step.get("data") or {}).get("rejected") or []
        reasons = "; ".join(f"{number(count)} {', '.join(reasons)}" for _, reasons, count in rejected)
        return f"{text}: {reasons}" if reasons else text

    def _post_filter(self, step: Step, cycle: Mapping[str, Any]) -> str:
        data = step.get("data") or {}
        if not data.get("nominatedNode"):
            return _result(step)
        victims = self.count("{n} pod is evicted", "{n} pods are evicted", len(data.get("victims") or []))
        return self.say("{victims}, and {node} is nominated", victims=victims, node=data["nominatedNode"])

    def _score(self, step: Step, cycle: Mapping[str, Any]) -> str:
        return self._scored(step, "raw scores from {min} to {max}, weight ×{weight}")

    def _normalize(self, step: Step, cycle: Mapping[str, Any]) -> str:
        return self._scored(step, "normalised to {min}–{max}, weight ×{weight}")

    def _scored(self, step: Step, text: str) -> str:
        data = step.get("data")
        if not data:
            return _result(step)
        return self.say(text, min=number(data["min"]), max=number(data["max"]), weight=data.get("weight", 1))

    def _select_host(self, step: Step, cycle: Mapping[str, Any]) -> str:
        data = step.get("data") or {}
        ties = data.get("ties") or []
        if cycle["nodes"]["feasible"] == 1:
            return self.say("{node} is the only feasible node, so nothing is scored", node=data.get("node"))
        values = {"node": data.get("node"), "total": number(data.get("total") or 0), "n": number(len(ties))}
        if len(ties) > 1:
            text = "{node}, drawn with the seed among {n} nodes that share the best total, {total}"
            return self.say(text, **values)
        return self.say("{node} has the best total, {total}", **values)

    def _assume(self, step: Step, cycle: Mapping[str, Any]) -> str:
        return self.say("the cache counts the pod on {node} from now on", node=cycle["node"] or "")


def _result(step: Step) -> str:
    reasons = step.get("reasons")
    return f"{step['code']}: {', '.join(reasons)}" if reasons else str(step["code"])
