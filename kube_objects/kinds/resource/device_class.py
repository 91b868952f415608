"""DeviceClass. How its manifest is read is in `parsers/devices.py`."""

from kube_objects.devices import DeviceClass
from kube_objects.kinds.form import IDENTITY, Input, Section
from kube_objects.kinds.kind import Kind
from kube_objects.kinds.resource import checks
from kube_objects.parsers.devices import parse_device_class
from kube_objects.read_fields import ALL

KIND = Kind(
    name="DeviceClass",
    group="resource.k8s.io",
    type=DeviceClass,
    parse=parse_device_class,
    check=checks.device_class,
    fields={"spec": {"selectors": {"cel": {"expression": ALL}}, "config": ALL, "extendedResourceName": ALL}},
    wakes_pods=True,
    # NodeResourcesFit leaves resources to devices that a class provides (v1.36).
    feeds_columns=True,
    event_words={"Add": "new device class", "Update": "a device class was changed"},
    example="""\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: gpu.example.com
spec:
  selectors:
    - cel:
        expression: device.driver == "gpu.example.com"
""",
    form=(
        IDENTITY,
        Section(
            "Which devices",
            (
                Input(
                    "selectors",
                    ("spec", "selectors"),
                    "rows",
                    columns=(Input("CEL", ("cel", "expression"), "expression", 'device.driver == "gpu.example.com"'),),
                ),
                Input("also asked for as", ("spec", "extendedResourceName"), hint="example.com/gpu"),
            ),
        ),
    ),
)
