"""Extenders that answer by a script (FORMAT section 5), behind the Transport interface.

Nothing waits: an answer after the timeout is a timeout at once.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from scheduler_core.config.types import ExtenderConfig, ExtenderTLSConfig
from scheduler_core.extender.transport import Response, post_error

Json = dict[str, Any]
Rule = Mapping[str, Any]

HOST = "EXTENDER-"


class ScriptedExtenders:
    """A Transport to all extenders of a scenario. `calls` collects received requests in the form of `expected`.

    `labels` are the pods' by `namespace/name`, because a bind request doesn't have them.
    """

    def __init__(
        self,
        scripts: Sequence[Mapping[str, Any]],
        configs: Sequence[ExtenderConfig],
        labels: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.calls: list[Json] = []
        self._scripts = scripts
        self._labels = labels
        self._verbs = [_verbs(config) for config in configs]

    def post(self, url: str, body: bytes, timeout_seconds: float, tls: ExtenderTLSConfig | None) -> Response:
        parts = urlsplit(url)
        index = int(parts.netloc.removeprefix(HOST))
        script = self._scripts[index]
        if script.get("down"):
            raise post_error(url, f"dial tcp {parts.netloc}: connect: connection refused")
        request: Json = json.loads(body)
        verb = self._verbs[index][parts.path.rpartition("/")[2]]
        call = {"extender": index, "verb": verb, "path": parts.path, **_described(request)}
        self.calls.append(call)
        rule = _rule_for(script.get(verb) or (), call["pod"], self._labels[call["pod"]])
        if rule.get("delayMs", 0) >= timeout_seconds * 1000:
            raise post_error(url, "context deadline exceeded (Client.Timeout exceeded while awaiting headers)")
        if rule.get("close"):
            raise post_error(url, "EOF")
        answer = rule["body"] if "body" in rule else json.dumps(ANSWERS[verb](rule, request))
        return Response(rule.get("status", 200), answer.encode())

    def taken(self, *verbs: str) -> list[Json]:
        """Return the calls of these kinds, in order, and remove them."""
        taken = [call for call in self.calls if call["verb"] in verbs]
        self.calls = [call for call in self.calls if call["verb"] not in verbs]
        return taken


def _verbs(config: ExtenderConfig) -> dict[str, str]:
    """Return the verb in the URL → the kind of call."""
    names = {
        "filter": config.filter_verb,
        "prioritize": config.prioritize_verb,
        "preempt": config.preempt_verb,
        "bind": config.bind_verb,
    }
    return {name: kind for kind, name in names.items() if name}


def _described(request: Json) -> Json:
    if "PodName" in request:
        return {"pod": f"{request['PodNamespace']}/{request['PodName']}", "node": request["Node"]}
    call: Json = {"pod": _key(request["Pod"])}
    if request.get("Nodes") is not None:
        call["nodes"] = [node["metadata"]["name"] for node in request["Nodes"]["items"]]
    if request.get("NodeNames") is not None:
        call["nodeNames"] = request["NodeNames"]
    for field, name, of_pod in (
        ("NodeNameToVictims", "victims", _key),
        ("NodeNameToMetaVictims", "metaVictims", lambda pod: pod["UID"]),
    ):
        if request.get(field) is not None:
            call[name] = {
                node: {
                    "pods": [of_pod(pod) for pod in victims["Pods"]],
                    "numPDBViolations": victims["NumPDBViolations"],
                }
                for node, victims in request[field].items()
            }
    return call


def _key(pod: Json) -> str:
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def _rule_for(rules: Sequence[Rule], pod_key: str, labels: Mapping[str, str]) -> Rule:
    """Return the first rule whose `when` matches the pod; by default the empty rule, which accepts everything."""
    for rule in rules:
        when = rule.get("when") or {}
        named = "pods" not in when or pod_key.partition("/")[2] in when["pods"]
        if named and labels.items() >= (when.get("labels") or {}).items():
            return rule
    return {}


def _filter(rule: Rule, request: Json) -> Json:
    objects = {node["metadata"]["name"]: node for node in (request["Nodes"] or {}).get("items") or ()}
    names = request["NodeNames"] if request["NodeNames"] is not None else list(objects)
    failed = {name: reason for name, reason in rule.get("failed", {}).items() if name in names}
    unresolvable = {name: reason for name, reason in rule.get("failedAndUnresolvable", {}).items() if name in names}
    left = [
        name
        for name in names
        if name not in {*rule.get("drop", ()), *failed, *unresolvable} and name in rule.get("keep", names)
    ]
    if rule.get("reverse"):
        left.reverse()
    left += rule.get("extra", ())
    form = rule.get("answer", "nodeNames" if request["NodeNames"] is not None else "nodes")
    items = [objects[name] for name in left if name in objects]
    return {
        "Nodes": {"metadata": {}, "items": items} if form in ("nodes", "both") else None,
        "NodeNames": left if form in ("nodeNames", "both") else None,
        "FailedNodes": failed,
        "FailedAndUnresolvableNodes": unresolvable,
        "Error": rule.get("error", ""),
    }


def _prioritize(rule: Rule, request: Json) -> list[Json]:
    names = request["NodeNames"]
    if names is None:
        names = [node["metadata"]["name"] for node in request["Nodes"]["items"]]
    scores = rule.get("scores", [[name, 0] for name in names])
    return [{"Host": name, "Score": score} for name, score in scores]


def _preempt(rule: Rule, request: Json) -> Json:
    given: dict[str, Json] = request["NodeNameToMetaVictims"] or {
        name: {**victims, "Pods": [{"UID": pod["metadata"]["uid"]} for pod in victims["Pods"]]}
        for name, victims in (request["NodeNameToVictims"] or {}).items()
    }
    answer = {name: victims for name, victims in given.items() if name in rule.get("nodes", given)}
    for name, uids in rule.get("victims", {}).items():
        violations = given.get(name, {}).get("NumPDBViolations", 0)
        answer[name] = {"Pods": [{"UID": uid} for uid in uids], "NumPDBViolations": violations}
    for name, violations in rule.get("violations", {}).items():
        if name in answer:
            answer[name] = {**answer[name], "NumPDBViolations": violations}
    return {"NodeNameToMetaVictims": answer}


def _bind(rule: Rule, request: Json) -> Json:
    return {"Error": rule.get("error", "")}


ANSWERS: Mapping[str, Callable[[Rule, Json], Any]] = {
    "filter": _filter,
    "prioritize": _prioritize,
    "preempt": _preempt,
    "bind": _bind,
}
