"""Manifests of slices, classes, claims and templates, and devices parsed from them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_objects.devices import Device, DeviceClass, ResourceClaim, ResourceSlice
from kube_objects.parse import parse_object

Manifest = dict[str, Any]
DRIVER = "gpu.example.com"


def device(name: str, **fields: Any) -> Manifest:
    return {"name": name, **fields}


def resource_slice(
    node: str = "",
    devices: Sequence[str | Manifest] = (),
    name: str = "",
    pool: str = "",
    generation: int = 1,
    slices: int = 1,
    **spec: Any,
) -> Manifest:
    """Return a slice of a pool, which has the Node's name unless `pool` is given."""
    of_pool = {"name": pool or node, "generation": generation, "resourceSliceCount": slices}
    listed = [device(each) if isinstance(each, str) else each for each in devices]
    where = {"nodeName": node} if node else {}
    fields = {"driver": DRIVER, "pool": of_pool, **where, "devices": listed, **spec}
    return _manifest("ResourceSlice", name or f"{pool or node}-{DRIVER}", {"spec": fields}, namespace="")


def device_class(name: str = "gpu", *selectors: str, **spec: Any) -> Manifest:
    chosen = [{"cel": {"expression": each}} for each in selectors]
    return _manifest("DeviceClass", name, {"spec": {"selectors": chosen, **spec}}, namespace="")


def request(name: str = "r", class_name: str = "gpu", selectors: Iterable[str] = (), **fields: Any) -> Manifest:
    chosen = [{"cel": {"expression": each}} for each in selectors]
    return {"name": name, "exactly": {"deviceClassName": class_name, "selectors": chosen, **fields}}


def claim(name: str, *requests: Manifest, constraints: Sequence[Manifest] = (), **more: Any) -> Manifest:
    devices = {"requests": list(requests) or [request()], "constraints": list(constraints)}
    return _manifest("ResourceClaim", name, {"spec": {"devices": devices}, **more})


def template(name: str, *requests: Manifest, **metadata: Any) -> Manifest:
    devices = {"requests": list(requests) or [request()]}
    return _manifest("ResourceClaimTemplate", name, {"spec": {"metadata": metadata, "spec": {"devices": devices}}})


def _manifest(kind: str, name: str, parts: Mapping[str, Any], namespace: str = "default") -> Manifest:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": metadata, **parts}


def read_slice(manifest: Manifest) -> ResourceSlice:
    found = parse_object(manifest)
    assert isinstance(found, ResourceSlice)
    return found


def read_class(manifest: Manifest) -> DeviceClass:
    found = parse_object(manifest)
    assert isinstance(found, DeviceClass)
    return found


def read_claim(manifest: Manifest) -> ResourceClaim:
    found = parse_object(manifest)
    assert isinstance(found, ResourceClaim)
    return found


def read_device(**fields: Any) -> Device:
    """Return the only device of a slice."""
    return read_slice(resource_slice("n", [device("d", **fields)])).devices[0]
