"""ResourceClaimTemplate. How its manifest is read is in `parsers/devices.py`."""

from kube_objects.devices import ResourceClaimTemplate
from kube_objects.kinds.form import IDENTITY_IN_NAMESPACE, Input, Section
from kube_objects.kinds.kind import Kind
from kube_objects.kinds.resource import checks
from kube_objects.kinds.resource.resource_claim import SPEC, asks_for
from kube_objects.parsers.devices import parse_resource_claim_template
from kube_objects.read_fields import ALL

KIND = Kind(
    name="ResourceClaimTemplate",
    group="resource.k8s.io",
    type=ResourceClaimTemplate,
    parse=parse_resource_claim_template,
    check=checks.claim_template,
    fields={"spec": {"metadata": {"labels": ALL, "annotations": ALL}, "spec": SPEC}},
    example="""\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: gpu
  namespace: default
spec:
  spec:
    devices:
      requests:
        - name: gpu
          exactly:
            deviceClassName: gpu.example.com
""",
    form=(
        IDENTITY_IN_NAMESPACE,
        asks_for(("spec", "spec")),
        Section("Of each claim", (Input("labels of the claims", ("spec", "metadata", "labels"), "map"),)),
    ),
)
