"""Namespace."""

from dataclasses import dataclass

from kube_objects import names
from kube_objects.kinds.form import IDENTITY
from kube_objects.kinds.kind import NEEDED_FIRST, Kind
from kube_objects.meta import KubeObject
from kube_objects.parsers.meta import read_meta
from kube_objects.read import Manifest, Problems

NAME_LABEL = "kubernetes.io/metadata.name"
BUILT_IN = ("default", "kube-system", "kube-public", "kube-node-lease")


@dataclass(slots=True, kw_only=True)
class Namespace(KubeObject):
    pass


def parse(manifest: Manifest, problems: Problems) -> Namespace:
    """Parse a Namespace, which always has its name as a label. Source: SetDefaults_Namespace."""
    meta = read_meta("Namespace", manifest, problems, name_rule=names.dns_label)
    meta["labels"] = {**meta["labels"], NAME_LABEL: meta["name"]}
    return Namespace(**meta)


KIND = Kind(
    name="Namespace",
    type=Namespace,
    parse=parse,
    fields={},
    example="""\
apiVersion: v1
kind: Namespace
metadata:
  name: team-a
""",
    form=(IDENTITY,),
    applied=NEEDED_FIRST,
    is_built_in=BUILT_IN.__contains__,
)
