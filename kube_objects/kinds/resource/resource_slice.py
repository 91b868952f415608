"""ResourceSlice. How its manifest is read is in `parsers/devices.py`."""

from kube_objects.devices import ResourceSlice
from kube_objects.kinds.form import IDENTITY, REQUIREMENT, Input, Section
from kube_objects.kinds.kind import Kind
from kube_objects.kinds.resource import checks
from kube_objects.parsers.devices import parse_resource_slice
from kube_objects.read_fields import ALL, Fields

_WHERE: Fields = {"nodeName": ALL, "nodeSelector": {"nodeSelectorTerms": ALL}, "allNodes": ALL}
_FIELDS: Fields = {
    "spec": {
        "driver": ALL,
        "pool": {"name": ALL, "generation": ALL, "resourceSliceCount": ALL},
        **_WHERE,
        "perDeviceNodeSelection": ALL,
        "devices": {
            "name": ALL,
            "attributes": ALL,
            "capacity": ALL,
            "consumesCounters": {"counterSet": ALL, "counters": ALL},
            "taints": {"key": ALL, "value": ALL, "effect": ALL},
            **_WHERE,
            "allowMultipleAllocations": ALL,
            "bindsToNode": ALL,
            "bindingConditions": ALL,
            "bindingFailureConditions": ALL,
        },
        "sharedCounters": {"name": ALL, "counters": ALL},
    },
}

KIND = Kind(
    name="ResourceSlice",
    group="resource.k8s.io",
    type=ResourceSlice,
    parse=parse_resource_slice,
    check=checks.resource_slice,
    fields=_FIELDS,
    wakes_pods=True,
    event_words={"Add": "new devices", "Update": "devices were changed"},
    example="""\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: node-1-gpus
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool:
    name: node-1
    generation: 1
    resourceSliceCount: 1
  devices:
    - name: gpu-0
      attributes:
        model:
          string: a100
      capacity:
        memory:
          value: 40Gi
""",
    form=(
        IDENTITY,
        Section(
            "Offers",
            (
                Input("driver", ("spec", "driver"), hint="gpu.example.com"),
                Input(
                    "devices",
                    ("spec", "devices"),
                    "rows",
                    columns=(
                        Input("name", ("name",), hint="gpu-0"),
                        Input("node", ("nodeName",)),
                        Input("taint", ("taints", 0, "key"), hint="gpu.example.com/ecc-errors"),
                        Input("effect", ("taints", 0, "effect"), "choice"),
                        Input("several claims at a time", ("allowMultipleAllocations",), "check"),
                    ),
                ),
            ),
        ),
        Section(
            "Where it can be used",
            (
                Input("node", ("spec", "nodeName")),
                Input("on all nodes", ("spec", "allNodes"), "check"),
                Input("each device says where", ("spec", "perDeviceNodeSelection"), "check"),
                Input(
                    "nodes with labels",
                    ("spec", "nodeSelector", "nodeSelectorTerms", 0, "matchExpressions"),
                    "rows",
                    columns=REQUIREMENT,
                ),
            ),
        ),
        Section(
            "Pool",
            (
                Input("name", ("spec", "pool", "name")),
                Input("generation", ("spec", "pool", "generation"), "number", "1"),
                Input("slices of the pool", ("spec", "pool", "resourceSliceCount"), "number", "1"),
            ),
        ),
    ),
)
