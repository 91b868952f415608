"""kubectl, as far as recordings use it: what its commands write, and the names and tables that scripts read.

Answers are not judged: what the cluster does is. Source: staging/src/k8s.io/kubectl.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scheduler_core.actors.api import Refused
from scheduler_core.actors.eviction import TOO_MANY, evict
from scheduler_core.actors.manifests import Manifest, annotations, key_of, labels, meta, name, spec
from scheduler_core.conformance.controllers import rollouts
from scheduler_core.conformance.controllers.arguments import Arguments, Fault
from scheduler_core.conformance.controllers.patches import merged, taken_away
from scheduler_core.conformance.controllers.player import Player, in_default
from scheduler_core.conformance.controllers.printing import listed
from scheduler_core.conformance.controllers.resources import BY_KIND, BY_NAME, Resource
from scheduler_core.text.limits import Limits
from scheduler_core.text.read import documents

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_LIMITS = Limits()
_EVICTION = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/eviction")
_DRAIN_RETRY_SECONDS = 5.0
_DRAIN_TRIES = 100


@dataclass(slots=True)
class Answer:
    code: int = 0
    out: str = ""
    err: str = ""


class Kubectl:
    """`files` are those of the working directory."""

    def __init__(self, player: Player, files: Mapping[str, str]) -> None:
        self.player, self.files = player, files
        self.stdin = ""

    def run(self, words: Sequence[str], stdin: str = "") -> Answer:
        """One command, without the word `kubectl`."""
        self.stdin = stdin
        arguments = Arguments.parse(words)
        verb = getattr(self, f"do_{arguments.verb.replace('-', '_')}", None)
        if verb is None:
            return Answer(1, err=f"error: unknown command {arguments.verb}\n")
        try:
            return Answer(out=verb(arguments))
        except Refused as refused:
            return Answer(1, err=f"Error from server ({refused.reason}): {refused.message}\n")
        except Fault as fault:
            return Answer(1, err=f"{fault}\n")

    # Objects

    def _objects(self) -> Any:
        return self.player.life.manager.objects

    def _read(self, arguments: Arguments) -> list[Manifest]:
        found: list[Manifest] = []
        for file in arguments.all("f", "filename"):
            text = self.stdin if file == "-" else self.files.get(file.removeprefix("./"))
            if text is None:
                raise Fault(f'error: the path "{file}" does not exist')
            found += [in_default(one, _is_namespaced(one)) for one in read_all(text)]
        return found

    def _find(self, resource: Resource, named: str, arguments: Arguments) -> Manifest:
        at = key_of(arguments.namespace if resource.namespaced else "", named)
        found: Manifest | None = self._objects().get(resource.kind, at)
        if found is None:
            raise Refused(f'{resource.full.partition(".")[0]}s "{named}" not found', "NotFound")
        return found

    def _targets(self, arguments: Arguments) -> list[tuple[Resource, Manifest]]:
        """What a command names: `deploy/web`, `pod a b`, `node --all`, or files."""
        if arguments.all("f", "filename"):
            return [
                (BY_KIND[one["kind"]], self._find(BY_KIND[one["kind"]], name(one), arguments))
                for one in self._read(arguments)
            ]
        words = [word for word in arguments.words if not _is_setting(word)]
        if not words:
            raise Fault("error: required resource not specified")
        if "/" in words[0]:
            pairs = [tuple(word.split("/", 1)) for word in words]
        else:
            kinds = words[0].split(",")
            pairs = [(kind, named) for kind in kinds for named in words[1:]]
            if arguments.has("all") or arguments.one("l", "selector") or not words[1:]:
                return [(_resource(kind), one) for kind in kinds for one in self._all(_resource(kind), arguments)]
        return [(_resource(kind), self._find(_resource(kind), named, arguments)) for kind, named in pairs]

    def _all(self, resource: Resource, arguments: Arguments) -> list[Manifest]:
        inside = arguments.namespace if resource.namespaced and not arguments.has("A", "all-namespaces") else None
        found = sorted(self._objects().of_kind(resource.kind, inside), key=name)
        return [one for one in found if arguments.selects(labels(one))]

    def _update(self, obj: Manifest) -> Manifest:
        api = self.player.api()
        made = api.update(obj)
        self.player.write(api)
        self.player.turn()
        return made

    def _each(self, arguments: Arguments, word: str, change: Callable[[Manifest], Manifest]) -> str:
        out = ""
        for resource, obj in self._targets(arguments):
            self._update(change(obj))
            out += f"{resource.full}/{name(obj)} {word}\n"
        return out

    # Writing

    def do_create(self, arguments: Arguments) -> str:
        raw = arguments.one("raw")
        if raw:
            return self._create_raw(raw, arguments)
        if arguments.words[:1] == ["job"]:
            return self._create_job(arguments.words[1], arguments)
        out = ""
        for given in self._read(arguments):
            made = self.player.create(given)
            out += f"{_full(made)}/{name(made)} created\n"
        return out

    def _create_raw(self, path: str, arguments: Arguments) -> str:
        found = _EVICTION.fullmatch(path)
        if found is None:
            raise Refused("the server could not find the requested resource", "NotFound")
        (given,) = read_all(self.stdin)
        if name(given) != found[2]:
            raise Refused("name in URL does not match name in Eviction object", "BadRequest")
        arguments.namespace = found[1]
        self._evict(self._find(BY_KIND["Pod"], found[2], arguments))
        return '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}\n'

    def _evict(self, pod: Manifest) -> None:
        api = self.player.api()
        evict(pod, api)
        self.player.write(api)
        self.player.turn()

    def _create_job(self, named: str, arguments: Arguments) -> str:
        kind, _, source = arguments.one("from").partition("/")
        template = spec(self._find(_resource(kind), source, arguments)).get("jobTemplate") or {}
        cron_job = self._find(_resource(kind), source, arguments)
        about = template.get("metadata") or {}
        owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": name(cron_job), "uid": meta(cron_job)["uid"]}
        self.player.create(
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {
                    "name": named,
                    "namespace": arguments.namespace,
                    "labels": about.get("labels") or {},
                    "annotations": {"cronjob.kubernetes.io/instantiate": "manual", **(about.get("annotations") or {})},
                    "ownerReferences": [{**owner, "controller": True}],
                },
                "spec": template.get("spec") or {},
            }
        )
        return f"job.batch/{named} created\n"

    def do_apply(self, arguments: Arguments) -> str:
        out = ""
        for given in self._read(arguments):
            text = json.dumps(given, separators=(",", ":"), sort_keys=True) + "\n"
            noted = {**given, "metadata": {**meta(given), "annotations": {**annotations(given), _LAST_APPLIED: text}}}
            before = self._objects().get(given["kind"], key_of(str(meta(given).get("namespace", "")), name(given)))
            if before is None:
                self.player.create(noted)
                word = "created"
            else:
                last = json.loads(annotations(before).get(_LAST_APPLIED, "{}"))
                changed = merged(merged(before, taken_away(last, given)), noted)
                word = "unchanged" if changed == before else "configured"
                self._update(changed)
            out += f"{_full(given)}/{name(given)} {word}\n"
        return out

    def do_replace(self, arguments: Arguments) -> str:
        out = ""
        for given in self._read(arguments):
            before = self._find(BY_KIND[given["kind"]], name(given), arguments)
            self._update({**before, **given, "metadata": {**meta(before), **meta(given)}})
            out += f"{_full(given)}/{name(given)} replaced\n"
        return out

    def do_delete(self, arguments: Arguments) -> str:
        policy = {"true": "background", "": "background", "false": "orphan"}.get(
            arguments.one("cascade"), arguments.one("cascade")
        )
        grace = arguments.one("grace-period")
        out = ""
        for resource, obj in self._targets(arguments):
            api = self.player.api()
            if api.get(resource.kind, key_of(str(meta(obj).get("namespace", "")), name(obj))) is None:
                continue
            api.delete(obj, policy.capitalize(), int(grace) if grace else None)
            self.player.write(api)
            self.player.turn()
            where = f" from {arguments.namespace} namespace" if resource.namespaced else ""
            out += f'{resource.full} "{name(obj)}" deleted{where}\n'
        return out

    def do_scale(self, arguments: Arguments) -> str:
        count = int(arguments.one("replicas"))
        return self._each(arguments, "scaled", lambda obj: {**obj, "spec": {**spec(obj), "replicas": count}})

    def do_patch(self, arguments: Arguments) -> str:
        (patch,) = read_all(arguments.one("p", "patch"))
        strategic = arguments.one("type") in ("", "strategic")
        return self._each(arguments, "patched", lambda obj: dict(merged(obj, patch, strategic)))

    def do_set(self, arguments: Arguments) -> str:
        what = arguments.words.pop(0)
        settings = dict(word.split("=", 1) for word in arguments.words if _is_setting(word))
        if what == "image":
            return self._each(arguments, "image updated", lambda obj: rollouts.with_images(obj, settings))
        if what == "env":
            return self._each(arguments, "env updated", lambda obj: rollouts.with_env(obj, settings))
        raise Fault(f"error: unknown command set {what}")

    def do_label(self, arguments: Arguments) -> str:
        return self._note(arguments, "labels", "labeled")

    def do_annotate(self, arguments: Arguments) -> str:
        return self._note(arguments, "annotations", "annotated")

    def _note(self, arguments: Arguments, field: str, word: str) -> str:
        settings = [one for one in arguments.words if _is_setting(one)]

        def change(obj: Manifest) -> Manifest:
            known = dict(meta(obj).get(field) or {})
            for one in settings:
                named, _, value = one.partition("=")
                if one.endswith("-"):
                    known.pop(one[:-1], None)
                else:
                    known[named] = value
            return {**obj, "metadata": {**meta(obj), field: known}}

        return self._each(arguments, word, change)

    def do_taint(self, arguments: Arguments) -> str:
        settings = [one for one in arguments.words if _is_setting(one)]

        def change(node: Manifest) -> Manifest:
            taints = list(spec(node).get("taints") or ())
            for one in settings:
                taints = _tainted(taints, one)
            return {**node, "spec": {**spec(node), "taints": taints}}

        gone = all(one.endswith("-") for one in settings)
        arguments.words = [one for one in arguments.words if not _is_setting(one)]
        return self._each(arguments, "untainted" if gone else "tainted", change)

    # Nodes

    def do_cordon(self, arguments: Arguments, value: bool = True) -> str:
        arguments.words.insert(0, "node")
        word = "cordoned" if value else "uncordoned"
        return self._each(arguments, word, lambda node: {**node, "spec": {**spec(node), "unschedulable": value}})

    def do_uncordon(self, arguments: Arguments) -> str:
        return self.do_cordon(arguments, value=False)

    def do_drain(self, arguments: Arguments) -> str:
        """Source: kubectl/pkg/drain: refused evictions are tried again after five seconds."""
        out = self.do_cordon(arguments)
        timeout = re.fullmatch(r"(\d+)s", arguments.one("timeout"))
        end = self.player.now + (int(timeout[1]) if timeout else _DRAIN_TRIES * _DRAIN_RETRY_SECONDS)
        for named in arguments.words[1:]:
            while left := self._to_drain(named):
                refused = [pod for pod in left if not self._try_to_evict(pod)]
                if not refused:
                    continue
                if self.player.now + _DRAIN_RETRY_SECONDS > end:
                    raise Fault(f"error: unable to drain node {named}: global timeout reached")
                self.player.wait(_DRAIN_RETRY_SECONDS)
            out += f"node/{named} drained\n"
        return out

    def _to_drain(self, node: str) -> list[Manifest]:
        return [
            pod
            for pod in self._objects().pods_on(node)
            if not any(owner["kind"] == "DaemonSet" for owner in meta(pod).get("ownerReferences") or ())
        ]

    def _try_to_evict(self, pod: Manifest) -> bool:
        try:
            self._evict(pod)
        except Refused as refused:
            if refused.reason != TOO_MANY:
                raise
            return False
        return True

    # Rollouts and looking

    def do_rollout(self, arguments: Arguments) -> str:
        what = arguments.words.pop(0)
        change = {
            "pause": ("paused", lambda obj: {**obj, "spec": {**spec(obj), "paused": True}}),
            "resume": ("resumed", rollouts.resumed),
            "restart": ("restarted", lambda obj: rollouts.restarted(obj, self.player.life.now)),
        }.get(what)
        if change is not None:
            return self._each(arguments, *change)
        view = self.player.life.manager.view(self.player.life.now)
        out = ""
        for resource, obj in self._targets(arguments):
            if what == "undo":
                changed = rollouts.undone(obj, int(arguments.one("to-revision") or 0), view)
                if changed is None:
                    out += f"{resource.full}/{name(obj)} skipped rollback (current template already matches revision)\n"
                    continue
                self._update(changed)
                out += f"{resource.full}/{name(obj)} rolled back\n"
            elif what == "history":
                out += rollouts.history(resource.full, obj, view)
            elif what == "status":
                out += rollouts.status_text(obj)
            else:
                raise Fault(f"error: unknown command rollout {what}")
        return out

    def do_get(self, arguments: Arguments) -> str:
        return listed(self._targets(arguments), arguments)

    def do_wait(self, arguments: Arguments) -> str:
        return "".join(f"{resource.full}/{name(obj)} condition met\n" for resource, obj in self._targets(arguments))


def read_all(text: str) -> list[Any]:
    return [one.value for one in documents(text, _LIMITS) if one.value is not None]


def _is_setting(word: str) -> bool:
    """`key=value`, `key=value:Effect`, or `key-`, which takes it away."""
    return (
        "=" in word or (word.endswith("-") and "/" not in word.split("-")[-1]) or bool(re.fullmatch(r"\S+:\w+-?", word))
    )


def _tainted(taints: list[Any], setting: str) -> list[Any]:
    gone = setting.endswith("-")
    pair, _, effect = setting.rstrip("-").partition(":") if gone else setting.partition(":")
    named, _, value = pair.partition("=")
    others = [one for one in taints if one["key"] != named or (effect and one["effect"] != effect)]
    if gone:
        return others
    return [*others, {"key": named, **({"value": value} if value else {}), "effect": effect}]


def _resource(word: str) -> Resource:
    found = BY_NAME.get(word.lower())
    if found is None:
        raise Fault(f'error: the server doesn\'t have a resource type "{word}"')
    return found


def _is_namespaced(obj: Manifest) -> bool:
    found = BY_KIND.get(str(obj.get("kind")))
    return found is None or found.namespaced


def _full(obj: Manifest) -> str:
    found = BY_KIND.get(str(obj["kind"]))
    return found.full if found else str(obj["kind"]).lower()
