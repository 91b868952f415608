"""Commands of kubectl that change nothing in a cluster; scripts mostly use their exit status."""

from kube_objects.manifests import key, kind, name
from tests.conformance.controllers.arguments import Arguments, Fault
from tests.conformance.controllers.patches import merged
from tests.conformance.controllers.printing import written
from tests.conformance.controllers.targets import Targets

_NO_KUBELET = "Error from server: error dialing backend: there is no kubelet"
_NO_METRICS = "error: Metrics API not available"


class Others(Targets):
    def do_version(self, arguments: Arguments) -> str:
        return "Client Version: v1.34.5\nKustomize Version: v5.7.1\nServer Version: v1.36.2\n"

    def do_options(self, arguments: Arguments) -> str:
        return ""

    do_api_resources = do_api_versions = do_explain = do_config = do_completion = do_options
    do_cluster_info = do_auth = do_help = do_options

    def do_events(self, arguments: Arguments) -> str:
        how = arguments.one("o", "output")
        if how in ("json", "yaml"):
            fields = ("type", "reason", "message", "count")
            items = [{field: getattr(one, field) for field in fields} for one in self.player.log.all]
            return written({"apiVersion": "v1", "kind": "List", "items": items}, how)
        return "".join(f"{one.type}   {one.reason}   {one.object}   {one.message}\n" for one in self.player.log.all)

    def do_diff(self, arguments: Arguments) -> str:
        """Compare; exit with 1 if something would change, with 2 if that can't be determined."""
        try:
            read = self._read(arguments)
        except Fault as fault:
            raise Fault(str(fault), 2) from fault
        for given in read:
            found = self._objects().get(kind(given), key(given))
            if found is None or merged(found, given) != found:
                raise Fault(f"+ {given['kind']} {name(given)}")
        return ""

    def do_logs(self, arguments: Arguments) -> str:
        raise Fault(_NO_KUBELET)

    do_exec = do_attach = do_cp = do_port_forward = do_debug = do_logs

    def do_top(self, arguments: Arguments) -> str:
        raise Fault(_NO_METRICS)
