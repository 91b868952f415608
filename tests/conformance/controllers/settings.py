"""Commands of kubectl that change some fields of objects: set, label, annotate, taint. Source: kubectl/pkg/cmd."""

from kube_objects.manifests import Manifest, meta
from tests.conformance.controllers.arguments import Arguments, Fault
from tests.conformance.controllers.commands import nodes, rollouts
from tests.conformance.controllers.targets import is_setting, resource_of
from tests.conformance.controllers.write_objects import Writing


class Settings(Writing):
    def do_set(self, arguments: Arguments) -> str:
        if not arguments.words:
            raise Fault("error: a command of set is needed")
        what = arguments.words.pop(0)
        self._has_to_be_named(arguments)
        settings = dict(word.split("=", 1) for word in arguments.words if "=" in word)
        if what == "image":
            if not any(map(is_setting, arguments.words)):
                raise Fault("error: at least one image update is required")
            return self._each(arguments, "image updated", lambda obj: rollouts.with_images(obj, settings))
        if what == "env":
            return self._set_env(arguments)
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

    def _set_env(self, arguments: Arguments) -> str:
        settings = [] if arguments.has("list") else [one for one in arguments.words if is_setting(one)]
        of, _, named = arguments.one("from").partition("/")
        imported = rollouts.env_of(self._find(resource_of(of), named, arguments)) if named else ()
        keeps = arguments.one("overwrite") == "false"
        return self._each(arguments, "env updated", lambda obj: rollouts.with_env(obj, settings, imported, keeps))

    def do_label(self, arguments: Arguments) -> str:
        return self._note(arguments, "label", "labeled")

    def do_annotate(self, arguments: Arguments) -> str:
        return self._note(arguments, "annotation", "annotated")

    def _note(self, arguments: Arguments, what: str, word: str) -> str:
        settings = [one for one in arguments.words if is_setting(one)]
        made = {one.partition("=")[0] for one in settings if "=" in one}
        if not settings and not arguments.has("list"):
            raise Fault(f"error: at least one {what} update is required")
        if both := sorted(made & {one[:-1] for one in settings if "=" not in one}):
            raise Fault(f"error: can not both modify and remove a {what} in the same command: {', '.join(both)}")
        if arguments.has("all") and arguments.one("l", "selector"):
            raise Fault("error: cannot set --all and --selector at the same time")
        self._has_to_be_named(arguments)
        field = f"{what}s"

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
        if not settings:
            raise Fault("error: at least one taint update is required")
        if any("/" in one for one in arguments.words if not is_setting(one)):
            raise Fault("error: the server doesn't have a resource type of this name")
        if arguments.has("all") and arguments.one("l", "selector"):
            raise Fault("error: setting 'all' parameter with a non empty selector is prohibited")

        def change(node: Manifest) -> Manifest:
            return nodes.tainted(node, settings, overwrite)

        gone = all(one.endswith("-") for one in settings)
        arguments.words = [one for one in arguments.words if not is_setting(one)]
        self._has_to_be_named(arguments)
        return self._each(arguments, "untainted" if gone else "tainted", change)
