"""Every kind that scheduling or a controller reads, listed once; the order is that of the schema for editors."""

from collections.abc import Mapping

from kube_objects.kinds.apps import daemon_set, deployment, replica_set, stateful_set
from kube_objects.kinds.autoscaling import horizontal_pod_autoscaler
from kube_objects.kinds.batch import cron_job, job
from kube_objects.kinds.core import (
    namespace,
    node,
    persistent_volume,
    persistent_volume_claim,
    pod,
    replication_controller,
    service,
)
from kube_objects.kinds.kind import Kind
from kube_objects.kinds.playground import arrivals, node_group
from kube_objects.kinds.policy import pod_disruption_budget
from kube_objects.kinds.resource import device_class, resource_claim, resource_claim_template, resource_slice
from kube_objects.kinds.scheduling import pod_group, priority_class
from kube_objects.kinds.storage import (
    csi_driver,
    csi_node,
    csi_storage_capacity,
    storage_class,
    volume_attachment,
)

_LISTED = (
    pod,
    node,
    namespace,
    service,
    replication_controller,
    replica_set,
    stateful_set,
    priority_class,
    pod_group,
    pod_disruption_budget,
    persistent_volume,
    persistent_volume_claim,
    storage_class,
    csi_node,
    csi_driver,
    csi_storage_capacity,
    volume_attachment,
    device_class,
    resource_slice,
    resource_claim,
    resource_claim_template,
)

_OF_CONTROLLERS = (
    deployment,
    daemon_set,
    job,
    cron_job,
    horizontal_pod_autoscaler,
    node_group,
    arrivals,
)

KINDS: Mapping[str, Kind] = {module.KIND.name: module.KIND for module in _LISTED}
"""Those that scheduling reads."""
BY_TYPE: Mapping[tuple[str, str], Kind] = {(kind.api_version, kind.name): kind for kind in KINDS.values()}
"""(apiVersion, kind) → the kind."""
DESCRIBED: Mapping[str, Kind] = {**KINDS, **{module.KIND.name: module.KIND for module in _OF_CONTROLLERS}}
"""Those that have a form, an example and rules: also the ones that only controllers read."""
CHECKED: Mapping[tuple[str, str], Kind] = {(kind.api_version, kind.name): kind for kind in DESCRIBED.values()}
"""(apiVersion, kind) → the kind, of all that are described."""
