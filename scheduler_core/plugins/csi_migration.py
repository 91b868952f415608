"""Migration of in-tree volumes to CSI drivers: the driver, the volume handle, and the topology.

Source: csi-translation-lib, pkg/scheduler/framework/plugins/nodevolumelimits/utils.go.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.storage.csi_node import CSINode
from kube_objects.selectors import IN, NodeSelector, NodeSelectorTerm, Requirement
from kube_objects.volumes import PodVolume
from scheduler_core.framework.status import PluginError

# The CSINode annotation that lists, joined by commas, the in-tree plugins that the node has migrated to CSI.
MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"
ZONE, BETA_ZONE = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
REGION, BETA_REGION = "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"
ZONE_DELIMITER = "__"
_UNSPECIFIED = "UNSPECIFIED"


@dataclass(slots=True, frozen=True)
class InTreePlugin:
    """A migrated in-tree volume plugin.

    `source` is the kind of volume, `handle_field` the field that identifies a volume. `topology_key` is the driver's
    zone label, "" if topology stays as it is. `migrated` is "always" (on nodes with a CSINode), "listed" (if the
    CSINode lists it) or "never".
    """

    name: str
    source: str
    driver: str
    handle_field: str
    topology_key: str = ""
    migrated: str = "always"


_PLUGINS = (
    InTreePlugin(
        "kubernetes.io/aws-ebs",
        "awsElasticBlockStore",
        "ebs.csi.aws.com",
        "volumeID",
        "topology.ebs.csi.aws.com/zone",
    ),
    InTreePlugin(
        "kubernetes.io/gce-pd", "gcePersistentDisk", "pd.csi.storage.gke.io", "pdName", "topology.gke.io/zone"
    ),
    InTreePlugin(
        "kubernetes.io/cinder",
        "cinder",
        "cinder.csi.openstack.org",
        "volumeID",
        "topology.cinder.csi.openstack.org/zone",
    ),
    InTreePlugin("kubernetes.io/azure-disk", "azureDisk", "disk.csi.azure.com", "diskURI"),
    InTreePlugin("kubernetes.io/azure-file", "azureFile", "file.csi.azure.com", "shareName", migrated="never"),
    InTreePlugin(
        "kubernetes.io/vsphere-volume", "vsphereVolume", "csi.vsphere.vmware.com", "volumePath", migrated="never"
    ),
    InTreePlugin("kubernetes.io/portworx-volume", "portworxVolume", "pxd.portworx.com", "volumeID", migrated="listed"),
)
BY_SOURCE: Mapping[str, InTreePlugin] = {plugin.source: plugin for plugin in _PLUGINS}
BY_NAME: Mapping[str, InTreePlugin] = {plugin.name: plugin for plugin in _PLUGINS}


def is_listed(plugin: InTreePlugin, csi_node: CSINode | None) -> bool:
    """Return True if the CSINode lists the plugin as migrated."""
    return csi_node is not None and plugin.name in csi_node.annotations.get(MIGRATED_PLUGINS, "").split(",")


def counts_as_csi(plugin: InTreePlugin, csi_node: CSINode | None) -> bool:
    """Return True if the plugin's volumes count towards its driver's limit on the node. Source: isCSIMigrationOn."""
    if csi_node is None or plugin.migrated == "never":
        return False
    return plugin.migrated == "always" or is_listed(plugin, csi_node)


def inline_handle(plugin: InTreePlugin, volume: PodVolume) -> str:
    """Return the CSI handle of an inline volume. Raises PluginError if it has none."""
    return _handle(plugin, volume.spec, "")


def volume_handle(plugin: InTreePlugin, volume: PersistentVolume) -> str:
    """Return the CSI handle of a PersistentVolume. Raises PluginError if it has none."""
    zones = volume.labels.get(BETA_ZONE) or volume.labels.get(ZONE, "")
    return _handle(plugin, volume.source_spec, zones)


def _handle(plugin: InTreePlugin, spec: Mapping[str, object], zones: str) -> str:
    identity = str(spec.get(plugin.handle_field) or "")
    match plugin.source:
        case "awsElasticBlockStore":
            return _ebs_volume_id(identity)
        case "gcePersistentDisk":
            return f"projects/{_UNSPECIFIED}/{_gce_place(zones.split(ZONE_DELIMITER))}/disks/{identity}"
        case "azureDisk":
            kind = spec.get("kind")
            if kind is not None and str(kind).lower() != "managed":
                raise PluginError(f"kind({kind}) is not supported in csi migration")
    return identity


def _ebs_volume_id(volume_id: str) -> str:
    """Return `vol-…`, which may be written `aws://zone/vol-…`. Source: KubernetesVolumeIDToEBSVolumeID."""
    if not volume_id.startswith("aws://"):
        return volume_id
    name = urlsplit(volume_id).path.strip("/")
    if not name.startswith("vol-") or "/" in name:
        raise PluginError(
            f"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({volume_id})"
        )
    return name


def _gce_place(zones: list[str]) -> str:
    if len(zones) == 1:
        return f"zones/{zones[0] or _UNSPECIFIED}"
    regions = set()
    for zone in zones:
        parts = zone.split("-")
        if len(parts) != 3:
            rule = f"zone in unexpected format, expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
            raise PluginError(f"failed to get region from zones: {rule}")
        regions.add("-".join(parts[:2]))
    if len(regions) != 1:
        listed = " ".join(f"{region}:{{}}" for region in sorted(regions))
        raise PluginError(
            f"failed to get region from zones: multiple or no regions gotten from zones, got: map[{listed}]"
        )
    return f"regions/{regions.pop()}"


def translate_affinity(plugin: InTreePlugin, volume: PersistentVolume) -> NodeSelector | None:
    """Return the volume's node affinity with the labels that the CSI driver sets on nodes.

    Raises PluginError for a volume without a CSI form. Source: translateTopologyFromInTreeToCSI.
    """
    volume_handle(plugin, volume)
    affinity = volume.node_affinity
    if not plugin.topology_key:
        return affinity
    used = {requirement.key for requirement in _requirements(affinity)}
    label = next((key for key in (ZONE, BETA_ZONE) if key in used), "")
    if label:
        affinity = _rename_keys(affinity, label, plugin.topology_key)
    else:
        label = next((key for key in (ZONE, BETA_ZONE) if key in volume.labels), ZONE)
        zones = {zone.strip() for zone in volume.labels.get(label, "").split(ZONE_DELIMITER)} - {""}
        if zones:
            affinity = _add_requirement(affinity, Requirement(plugin.topology_key, IN, tuple(sorted(zones))))
    return _rename_keys(affinity, BETA_REGION, REGION) if label == BETA_ZONE else affinity


def _requirements(affinity: NodeSelector | None) -> Iterable[Requirement]:
    return (requirement for term in (affinity.terms if affinity else ()) for requirement in term.expressions)


def _rename_keys(affinity: NodeSelector | None, old: str, new: str) -> NodeSelector | None:
    if affinity is None:
        return None

    def rename(term: NodeSelectorTerm) -> NodeSelectorTerm:
        return replace(
            term,
            expressions=tuple(
                replace(requirement, key=new) if requirement.key == old else requirement
                for requirement in term.expressions
            ),
        )

    return NodeSelector(tuple(map(rename, affinity.terms)))


def _add_requirement(affinity: NodeSelector | None, requirement: Requirement) -> NodeSelector:
    terms = affinity.terms if affinity and affinity.terms else (NodeSelectorTerm(),)
    return NodeSelector(tuple(replace(term, expressions=(*term.expressions, requirement)) for term in terms))
