"""kubectl, as far as recordings use it: what its commands write, and the names and tables that scripts read.

Answers are not judged: what the cluster does is. Source: staging/src/k8s.io/kubectl.
"""

import math
import re
from collections.abc import Sequence

from scheduler_core.actors.api import Refused
from scheduler_core.actors.eviction import TOO_MANY
from scheduler_core.actors.manifests import (
    Manifest,
    annotations,
    key,
    key_of,
    meta,
    name,
    number,
    spec,
    uid,
    with_meta,
)
from scheduler_core.conformance.controllers.answers import Answer, InPart, Problem, for_all, message_of
from scheduler_core.conformance.controllers.arguments import Arguments, Fault
from scheduler_core.conformance.controllers.commands import applying, creating, nodes, rollouts
from scheduler_core.conformance.controllers.looking import DRAIN_RETRY_SECONDS, DRAIN_TRIES, Ended
from scheduler_core.conformance.controllers.patches import json_patched, merged
from scheduler_core.conformance.controllers.printing import written
from scheduler_core.conformance.controllers.resources import BY_KIND, Resource
from scheduler_core.conformance.controllers.targets import is_namespaced, is_setting, read_one, resource_of
from scheduler_core.conformance.controllers.waiting import seconds_of
from scheduler_core.conformance.controllers.writing import Writing, full_name
from scheduler_core.text.problems import ObjectError

STARTS_SECONDS = 0.15  # until a command has found out what the server knows, about as long as it took the recorder's
_EVICTION = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/eviction")
# Source: cmdutil.GetValidationDirective.
_STRICTNESS = {"true": "Strict", "false": "Ignore"}
_SCALED = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")


class Kubectl(Writing):
    def run(self, words: Sequence[str], stdin: str = "", most: float = math.inf) -> Answer:
        """One command, without the word `kubectl`. It is ended after `most` seconds."""
        self.stdin, self.until = stdin, self.player.now + most
        try:
            arguments = Arguments.parse(words)
        except Fault as fault:
            return Answer(1, err=f"{fault}\n")
        self.is_trial = arguments.one("dry-run") not in ("", "none")
        self.strictness = _strictness(arguments)
        verb = getattr(self, f"do_{arguments.verb.replace('-', '_')}", None)
        if verb is None:
            return Answer(1, err=f"error: unknown command {arguments.verb}\n")
        try:
            self._pass(STARTS_SECONDS)
            return Answer(out=verb(arguments))
        except Ended:
            return Answer(Ended.code)
        except (Refused, Fault) as error:
            return Answer(error.code if isinstance(error, Fault) else 1, err=f"{message_of(error)}\n")
        except ObjectError as error:
            return Answer(1, err=f"Error from server (Invalid): {error}\n")
        except InPart as part:
            return Answer(1, part.out, "".join(f"{message_of(error)}\n" for error in part.errors))

    def do_create(self, arguments: Arguments) -> str:
        raw = arguments.one("raw")
        if raw:
            return self._create_raw(raw, arguments)
        if arguments.words:
            return self._create_typed(arguments)
        if not arguments.all("f", "filename", "k", "kustomize"):
            raise Fault("error: must specify one of -f and -k")
        return self._of_files(self._read(arguments), self._created)

    def _create_typed(self, arguments: Arguments) -> str:
        of, source = arguments.words[0], arguments.one("from")
        if of == "job" and source:
            kind, _, named = source.partition("/")
            cron_job = self._find(resource_of(kind), named, arguments)
            return self._created(creating.job_of(cron_job, arguments.words[1]))
        made = self._placed(creating.typed(of, arguments, self.files), arguments)
        return self._shown(made, arguments) or self._created(made)

    def _shown(self, made: Manifest, arguments: Arguments) -> str:
        """What `--dry-run -o yaml` prints, for another command to read; "" where it is to be made."""
        how = arguments.one("o", "output")
        return written(made, how) if self.is_trial and how in ("yaml", "json") else ""

    def _placed(self, obj: Manifest, arguments: Arguments) -> Manifest:
        return with_meta(obj, namespace=arguments.namespace) if is_namespaced(obj) else obj

    def do_run(self, arguments: Arguments) -> str:
        if not arguments.words:
            raise Fault("error: NAME is required for run")
        made = self._placed(creating.pod(arguments.words[0], arguments), arguments)
        return self._shown(made, arguments) or self._created(made)

    def do_expose(self, arguments: Arguments) -> str:
        return for_all(self._targets(arguments), lambda target: self._created(creating.service(target[1], arguments)))

    def do_autoscale(self, arguments: Arguments) -> str:
        return "".join(self._created(creating.autoscaler(obj, arguments)) for _, obj in self._targets(arguments))

    def _create_raw(self, path: str, arguments: Arguments) -> str:
        found = _EVICTION.fullmatch(path)
        if found is None:
            raise Refused("the server could not find the requested resource", "NotFound")
        given = read_one(self.stdin)
        if name(given) != found[2]:
            raise Refused("name in URL does not match name in Eviction object", "BadRequest")
        arguments.namespace = found[1]
        self._evict(self._find(BY_KIND["Pod"], found[2], arguments))
        return '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}\n'

    def do_apply(self, arguments: Arguments) -> str:
        if arguments.words[:1] == ["view-last-applied"]:
            arguments.words.pop(0)
            return "".join(applying.last_applied(obj) for _, obj in self._targets(arguments))
        if arguments.words[:1] == ["set-last-applied"]:
            return for_all(self._read(arguments), lambda given: self._noted(given, arguments))
        if not arguments.all("f", "filename", "k", "kustomize"):
            raise Fault("error: must specify one of -f and -k")
        if arguments.has("server-side"):
            return self._of_files(self._read(arguments), lambda given: self._applied_by_server(given, arguments))
        return self._of_files(self._read(arguments), self._applied)

    def _applied(self, given: Manifest) -> str:
        before = self._before(given)
        if before is None:
            return self._created(applying.noted(given))
        return self._changed(given, before, applying.applied(before, given))

    def _noted(self, given: Manifest, arguments: Arguments) -> str:
        """What was applied last is what the file says, whatever the object is."""
        before = self._find(BY_KIND[given["kind"]], name(given), arguments)
        if not arguments.has("create-annotation"):
            applying.last_applied(before)
        self._update(with_meta(before, annotations={**annotations(before), **annotations(applying.noted(given))}))
        return f"{full_name(given)}/{name(given)} configured\n"

    def _applied_by_server(self, given: Manifest, arguments: Arguments) -> str:
        """What another manager has applied is a conflict where it is not the same."""
        manager, by_force = arguments.one("field-manager") or "kubectl", arguments.has("force-conflicts")
        at = (given["kind"], key_of(str(meta(given).get("namespace", "")), name(given)), manager)
        before = self._before(given)
        if before is None:
            self._created(given)
        else:
            made = applying.applied_by_server(before, given, self.served.get(at, {}), by_force, self.server)
            self._changed(given, before, made)
        self.served[at] = given
        return f"{full_name(given)}/{name(given)} serverside-applied\n"

    def _changed(self, given: Manifest, before: Manifest, made: Manifest) -> str:
        self._update(made)
        word = "unchanged" if made == before else "configured"
        return f"{full_name(given)}/{name(given)} {word}\n"

    def do_replace(self, arguments: Arguments) -> str:
        out = ""
        if arguments.has("force"):
            arguments.flags["grace-period"] = ["0"]
            self.do_delete(arguments)
            return "".join(self._created(given) for given in self._read(arguments)).replace("created", "replaced")
        for given in self._read(arguments):
            before = self._find(BY_KIND[given["kind"]], name(given), arguments)
            self._update({**before, **given, "metadata": {**meta(before), **meta(given)}})
            out += f"{full_name(given)}/{name(given)} replaced\n"
        return out

    def do_delete(self, arguments: Arguments) -> str:
        policy = {"true": "background", "": "background", "false": "orphan"}.get(
            arguments.one("cascade"), arguments.one("cascade")
        )
        at_once = "1" if arguments.has("now") else "0" if arguments.has("force") else ""
        grace = arguments.one("grace-period") or at_once

        def act(target: tuple[Resource, Manifest]) -> str:
            resource, obj = target
            self._delete(obj, policy.capitalize(), grace)
            where = f" from {arguments.namespace} namespace" if resource.namespaced else ""
            return f'{resource.full} "{name(obj)}" deleted{where}\n'

        self._has_to_be_named(arguments)
        missing: list[Problem] = []
        found = self._targets(arguments, missing)
        out = self._for_all(found, act, () if arguments.has("ignore-not-found") else missing)
        if arguments.one("wait") != "false" and not self.is_trial:
            for _, obj in found:
                self._wait_until_gone(obj, arguments)
        return out

    def do_scale(self, arguments: Arguments) -> str:
        count, expected = arguments.one("replicas"), arguments.one("current-replicas")
        if not count.isdigit():
            raise Fault("error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")

        def change(obj: Manifest) -> Manifest:
            if obj["kind"] not in _SCALED:
                raise Refused("the server could not find the requested resource", "NotFound")
            now = number(spec(obj).get("replicas"), 1)
            if expected and int(expected) not in (-1, now):
                raise Fault(f"error: Expected replicas to be {expected}, was {now}")
            return {**obj, "spec": {**spec(obj), "replicas": int(count)}}

        return self._each(arguments, "scaled", change)

    def do_patch(self, arguments: Arguments) -> str:
        patch = read_one(arguments.one("p", "patch") or self.files.get(arguments.one("patch-file"), ""))
        how = arguments.one("type")

        def change(obj: Manifest) -> Manifest:
            if how != "json":
                return dict(merged(obj, patch, how in ("", "strategic")))
            try:
                return dict(json_patched(obj, patch))
            except LookupError as error:
                raise Refused(
                    f"the server rejected our request due to an error in our request: {error}", "Invalid"
                ) from error

        return self._each(arguments, "patched", change)

    def do_set(self, arguments: Arguments) -> str:
        what = arguments.words.pop(0)
        settings = dict(word.split("=", 1) for word in arguments.words if "=" in word)
        if what == "image":
            return self._each(arguments, "image updated", lambda obj: rollouts.with_images(obj, settings))
        if what == "env":
            settings_of_env = [] if arguments.has("list") else arguments.words
            of, _, named = arguments.one("from").partition("/")
            imported = rollouts.env_of(self._find(resource_of(of), named, arguments)) if named else ()
            return self._each(arguments, "env updated", lambda obj: rollouts.with_env(obj, settings_of_env, imported))
        if what == "resources":
            return self._each(
                arguments, "resource requirements updated", lambda obj: rollouts.with_resources(obj, arguments)
            )
        if what == "selector":
            wanted = dict(one.split("=", 1) for one in arguments.words.pop().split(","))
            return self._each(arguments, "selector updated", lambda obj: rollouts.with_selector(obj, wanted))
        if what in ("serviceaccount", "sa"):
            account = arguments.words.pop()
            return self._each(
                arguments, "serviceaccount updated", lambda obj: rollouts.with_service_account(obj, account)
            )
        raise Fault(f"error: unknown command set {what}")

    def do_label(self, arguments: Arguments) -> str:
        return self._note(arguments, "labels", "labeled")

    def do_annotate(self, arguments: Arguments) -> str:
        return self._note(arguments, "annotations", "annotated")

    def _note(self, arguments: Arguments, field: str, word: str) -> str:
        settings = [one for one in arguments.words if is_setting(one)]

        def change(obj: Manifest) -> Manifest:
            known = dict(meta(obj).get(field) or {})
            for one in settings:
                named, is_set, value = one.partition("=")
                if not is_set:
                    known.pop(one[:-1], None)
                elif known.get(named, value) != value and not arguments.has("overwrite"):
                    raise Fault(f"error: '{named}' already has a value ({known[named]}), and --overwrite is false")
                else:
                    known[named] = value
            return {**obj, "metadata": {**meta(obj), field: known}}

        return self._each(arguments, word, change)

    def do_taint(self, arguments: Arguments) -> str:
        settings = [one for one in arguments.words if is_setting(one)]
        overwrite = arguments.has("overwrite")

        def change(node: Manifest) -> Manifest:
            return nodes.tainted(node, settings, overwrite)

        gone = all(one.endswith("-") for one in settings)
        arguments.words = [one for one in arguments.words if not is_setting(one)]
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
        view = self.player.life.manager.view(self.player.life.now)

        def drain(named: str) -> str:
            self._empty(named, nodes.to_drain(view.pods_on(named), arguments, view), arguments)
            return f"node/{named} drained\n"

        # A node that could not be drained does not keep the others from it.
        return out + for_all(arguments.words[1:], drain)

    def _empty(self, named: str, chosen: Sequence[Manifest], arguments: Arguments) -> None:
        end = self.player.now + seconds_of(arguments.one("timeout"), DRAIN_TRIES * DRAIN_RETRY_SECONDS)
        while left := [pod for pod in chosen if self._is_there(pod)]:
            for pod in left:
                self._try_to_evict(pod, arguments)
            if not any(self._is_there(pod) for pod in left):
                continue
            # Refused ones are tried again; the others may have finalizers, and are waited for.
            remaining = end - self.player.now
            self._pass(min(DRAIN_RETRY_SECONDS, remaining))
            if remaining <= DRAIN_RETRY_SECONDS:
                raise Fault(f"error: unable to drain node {named}: global timeout reached")

    def _is_there(self, pod: Manifest) -> bool:
        found = self._objects().get("Pod", key(pod))
        return found is not None and uid(found) == uid(pod)

    def _try_to_evict(self, pod: Manifest, arguments: Arguments) -> bool:
        try:
            if arguments.has("disable-eviction"):
                self._delete(pod, "Background", arguments.one("grace-period"))
            else:
                self._evict(pod)
        except Refused as refused:
            if refused.reason != TOO_MANY:
                raise
            return False
        return True

    # Rollouts and looking

    def do_rollout(self, arguments: Arguments) -> str:
        what = arguments.words.pop(0)
        changes = {"pause": ("paused", rollouts.paused), "resume": ("resumed", rollouts.resumed)}
        if what in changes:
            return self._each(arguments, *changes[what])
        if what == "restart":
            return self._each(arguments, "restarted", lambda obj: rollouts.restarted(obj, self.player.life.now))
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
                out += rollouts.history(resource.full, obj, view, int(arguments.one("revision") or 0))
            elif what == "status":
                out += self._roll_out(obj, arguments)
            else:
                raise Fault(f"error: unknown command rollout {what}")
        return out


def _strictness(arguments: Arguments) -> str:
    """About fields that a kind lacks: who reads files is strict, all others take the server's own way."""
    directive = arguments.one("validate") or "true"
    of_files = _STRICTNESS.get(directive, directive.capitalize())
    return of_files if arguments.verb in ("apply", "create", "replace") else "Warn"
