"""The part of kubectl that recordings use: the writes of its commands, and the names and tables that scripts read.

Output isn't compared with the recording; the cluster's state is. Source: staging/src/k8s.io/kubectl.
"""

import math
import re
from collections.abc import Sequence

from kube_controllers.api import WriteRefused
from kube_controllers.eviction import TOO_MANY
from kube_objects.manifests import (
    Manifest,
    annotations,
    key,
    key_of,
    meta,
    name,
    number,
    spec,
    status,
    uid,
    with_meta,
)
from kube_objects.text.problems import ObjectError
from tests.conformance.controllers.arguments import Arguments, Fault
from tests.conformance.controllers.commands import applying, creating, nodes, rollouts
from tests.conformance.controllers.get_and_wait import DRAIN_RETRY_SECONDS, DRAIN_TRIES, Ended
from tests.conformance.controllers.kubectl_results import Answer, InPart, Problem, for_all, message_of
from tests.conformance.controllers.resources import BY_KIND, Resource
from tests.conformance.controllers.settings import Settings
from tests.conformance.controllers.targets import is_namespaced, read_one, resource_of
from tests.conformance.controllers.wait_conditions import seconds_of
from tests.conformance.controllers.write_objects import full_name

STARTS_SECONDS = 0.15  # until a command has found out what the server knows, about as long as it took the recorder's
_DRAIN_LOOKS_SECONDS = 1.0  # Source: kubectl/pkg/drain waitForDelete
_EVICTION = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/eviction")
# Source: cmdutil.GetValidationDirective.
_STRICTNESS = {"true": "Strict", "false": "Ignore"}
_SCALED = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")


class Kubectl(Settings):
    def run(self, words: Sequence[str], stdin: str = "", most: float = math.inf) -> Answer:
        """Run one command, without the word `kubectl`. It is ended after `most` seconds."""
        self.stdin, self.until = stdin, self.player.now + most
        try:
            arguments = Arguments.parse(words)
        except Fault as fault:
            return Answer(1, err=f"{fault}\n")
        self.dry_run = arguments.one("dry-run")
        self.strictness = _strictness(arguments)
        verb = getattr(self, f"do_{arguments.verb.replace('-', '_')}", None)
        if verb is None:
            return Answer(1, err=f"error: unknown command {arguments.verb}\n")
        try:
            self._pass(STARTS_SECONDS)
            return Answer(out=verb(arguments))
        except Ended:
            return Answer(Ended.code)
        except (WriteRefused, Fault) as error:
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
        if of == "job" and bool(source) == bool(arguments.one("image")):
            raise Fault("error: either --image or --from must be specified")
        if of == "job" and source:
            kind, _, named = source.partition("/")
            cron_job = self._find(resource_of(kind), named, arguments)
            return self._created(creating.job_of(cron_job, arguments.words[1]))
        made = self._placed(creating.typed(of, arguments, self.files), arguments)
        return (self._shown(made, arguments) if self.is_trial else "") or self._created(made)

    def _placed(self, obj: Manifest, arguments: Arguments) -> Manifest:
        return with_meta(obj, namespace=arguments.namespace) if is_namespaced(obj) else obj

    def do_run(self, arguments: Arguments) -> str:
        if not arguments.words:
            raise Fault("error: NAME is required for run")
        made = self._placed(creating.pod(arguments.words[0], arguments), arguments)
        return (self._shown(made, arguments) if self.is_trial else "") or self._created(made)

    def do_expose(self, arguments: Arguments) -> str:
        return for_all(self._targets(arguments), lambda target: self._created(creating.service(target[1], arguments)))

    def do_autoscale(self, arguments: Arguments) -> str:
        return "".join(self._created(creating.autoscaler(obj, arguments)) for _, obj in self._targets(arguments))

    def _create_raw(self, path: str, arguments: Arguments) -> str:
        found = _EVICTION.fullmatch(path)
        if found is None:
            raise WriteRefused("the server could not find the requested resource", "NotFound")
        given = read_one(self.stdin)
        if name(given) != found[2]:
            raise WriteRefused("name in URL does not match name in Eviction object", "BadRequest")
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
        return self._changed(given, before, applying.applied(before, given, self.server))

    def _noted(self, given: Manifest, arguments: Arguments) -> str:
        """Store the file's content as the last applied configuration, whatever the object is."""
        before = self._find(BY_KIND[given["kind"]], name(given), arguments)
        if not arguments.has("create-annotation"):
            applying.last_applied(before)
        self._update(with_meta(before, annotations={**annotations(before), **annotations(applying.noted(given))}))
        return f"{full_name(given)}/{name(given)} configured\n"

    def _applied_by_server(self, given: Manifest, arguments: Arguments) -> str:
        """Apply on the server; a differing value of another manager is a conflict."""
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
        if not arguments.all("f", "filename", "k", "kustomize"):
            raise Fault("error: must specify one of -f and -k")
        if arguments.has("force"):
            arguments.flags["grace-period"] = ["0"]
            self.do_delete(arguments)
            return "".join(self._created(given) for given in self._read(arguments)).replace("created", "replaced")
        for given in self._read(arguments):
            before = self._find(BY_KIND[given["kind"]], name(given), arguments)
            self._update(applying.replaced(before, given))
            out += f"{full_name(given)}/{name(given)} replaced\n"
        return out

    def do_delete(self, arguments: Arguments) -> str:
        policy, grace = _how_deleted(arguments)

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
                raise WriteRefused("the server could not find the requested resource", "NotFound")
            now = number(spec(obj).get("replicas"), 1)
            if expected and int(expected) not in (-1, now):
                raise Fault(f"error: Expected replicas to be {expected}, was {now}")
            return {**obj, "spec": {**spec(obj), "replicas": int(count)}}

        self._has_to_be_named(arguments)
        out = self._each(arguments, "scaled", change)
        if not out:
            raise Fault("error: no objects passed to scale")
        if most := seconds_of(arguments.one("timeout"), 0):
            for _, obj in self._targets(arguments):
                self._wait_until_scaled(obj, most)
        return out

    def _wait_until_scaled(self, obj: Manifest, most: float) -> None:
        """Wait for the scale. Source: kubectl/pkg/scale WaitForScaleHasDesiredReplicas, which polls every second.

        Raises Fault.
        """
        end = self.player.now + most
        while self.player.now + 1.0 < end:
            self._pass(1.0)
            found = self._objects().get(obj["kind"], key(obj))
            if found is not None and number(status(found).get("replicas"), 0) == number(spec(found).get("replicas"), 1):
                return
        self._pass(end - self.player.now)
        raise Fault(f'error: timed out waiting for "{name(obj)}" to be synced')

    def do_patch(self, arguments: Arguments) -> str:
        self._has_to_be_named(arguments)
        patch = read_one(arguments.one("p", "patch") or self.files.get(arguments.one("patch-file"), ""))
        how = arguments.one("type") or "strategic"
        if how not in ("json", "merge", "strategic"):
            raise Fault(f'error: --type must be one of [json merge strategic], not "{how}"')
        return self._each(arguments, "patched", lambda obj: self.server.patched(obj, how, patch))

    # Nodes

    def do_cordon(self, arguments: Arguments, value: bool = True) -> str:
        if arguments.has("all"):
            raise Fault("error: unknown flag: --all")
        if bool(arguments.words) == bool(arguments.one("l", "selector")):
            # One or the other.
            raise Fault(f"error: USAGE: {arguments.verb} NODE [flags]")
        arguments.words = ["node", *(one.removeprefix("node/") for one in arguments.words)]
        word = "cordoned" if value else "uncordoned"
        return self._each(arguments, word, lambda node: {**node, "spec": {**spec(node), "unschedulable": value}})

    def do_uncordon(self, arguments: Arguments) -> str:
        return self.do_cordon(arguments, value=False)

    def do_drain(self, arguments: Arguments) -> str:
        """Drain Nodes. Source: kubectl/pkg/drain: refused evictions are retried after five seconds."""
        out = self.do_cordon(arguments)
        view = self.player.life.manager.view(self.player.life.now)

        def drain(named: str) -> str:
            chosen = nodes.to_drain(view.pods_on(named), arguments, view)
            if not self.is_trial:
                self._empty(named, chosen, arguments)
            return f"node/{named} drained\n"

        # A node that could not be drained does not keep the others from it.
        return out + for_all(arguments.words[1:], drain)

    def _empty(self, named: str, chosen: Sequence[Manifest], arguments: Arguments) -> None:
        end = self.player.now + seconds_of(arguments.one("timeout"), DRAIN_TRIES * DRAIN_RETRY_SECONDS)
        refused = list(chosen)
        again_at = self.player.now
        while left := [pod for pod in chosen if self._is_there(pod)]:
            if self.player.now >= again_at:
                # Refused ones are tried again; the others may have finalizers, and are waited for.
                refused = [pod for pod in refused if pod in left and not self._try_to_evict(pod, arguments)]
                again_at = self.player.now + DRAIN_RETRY_SECONDS
                if not any(map(self._is_there, left)):
                    continue
            if self.player.now >= end:
                raise Fault(f"error: unable to drain node {named}: global timeout reached")
            self._pass(min(_DRAIN_LOOKS_SECONDS, again_at - self.player.now, end - self.player.now))

    def _is_there(self, pod: Manifest) -> bool:
        found = self._objects().get("Pod", key(pod))
        return found is not None and uid(found) == uid(pod)

    def _try_to_evict(self, pod: Manifest, arguments: Arguments) -> bool:
        try:
            if arguments.has("disable-eviction"):
                self._delete(pod, "Background", arguments.one("grace-period"))
            else:
                self._evict(pod)
        except WriteRefused as refused:
            if refused.reason != TOO_MANY:
                raise
            return False
        return True

    # Rollouts and looking

    def do_rollout(self, arguments: Arguments) -> str:
        if not arguments.words:
            raise Fault("error: a command of rollout is needed")
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


def _how_deleted(arguments: Arguments) -> tuple[str, str]:
    """Return the cascade, and the grace in seconds, "" for that of the object. Raises Fault."""
    given, grace = arguments.one("cascade"), arguments.one("grace-period")
    policy = {"true": "background", "": "background", "false": "orphan"}.get(given, given)
    if policy not in ("background", "foreground", "orphan"):
        raise Fault(f'error: invalid cascade value ({given}). Must be "background", "foreground", or "orphan"')
    if arguments.has("now") and grace not in ("", "-1"):
        raise Fault("error: --now and --grace-period cannot be specified together")
    if arguments.has("force") and (arguments.has("now") or grace not in ("", "-1", "0")):
        raise Fault("error: --force and --grace-period greater than 0 cannot be specified together")
    if arguments.has("all") and arguments.one("l", "selector"):
        raise Fault("error: setting 'all' parameter but found a non empty selector.")
    if arguments.one("o", "output") not in ("", "name"):
        raise Fault(f"error: unexpected -o output mode: {arguments.one('o', 'output')}. We only support '-o name'")
    at_once = "1" if arguments.has("now") else "0" if arguments.has("force") else ""
    return policy, at_once if grace in ("", "-1") else grace


def _strictness(arguments: Arguments) -> str:
    """Return the validation of unknown fields: strict for files, the server's default for others."""
    directive = arguments.one("validate") or "true"
    of_files = _STRICTNESS.get(directive, directive.capitalize())
    return of_files if arguments.verb in ("apply", "create", "replace") else "Warn"
