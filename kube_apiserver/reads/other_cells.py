"""The cells of network kinds, role bindings, revisions and others. Source: pkg/printers/internalversion/printers.go."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

Object = Mapping[str, Any]
Cells = dict[str, Any]
NONE, UNSET = "<none>", "<unset>"
_SHOWN = 3


def endpoints(value: Object, now: datetime) -> Cells:
    shown = []
    for subset in value.get("subsets") or ():
        addresses = [str(each.get("ip", "")) for each in subset.get("addresses") or ()]
        ports = subset.get("ports") or ()
        shown += [_with_port(each, port.get("port")) for port in ports for each in addresses] if ports else addresses
    return {"Endpoints": _first(shown) if value.get("subsets") else NONE}


def api_service(value: Object, now: datetime) -> Cells:
    """Return the cells of an APIService. Source: kube-aggregator/pkg/registry/apiservice/etcd."""
    service = (value.get("spec") or {}).get("service")
    conditions = (value.get("status") or {}).get("conditions") or ()
    available = next((each for each in conditions if each.get("type") == "Available"), {"status": "Unknown"})
    why = f" ({available['reason']})" if available.get("reason") and available["status"] != "True" else ""
    return {
        "Service": f"{service.get('namespace')}/{service.get('name')}" if service else "Local",
        "Available": f"{available['status']}{why}",
    }


def endpoint_slice(value: Object, now: datetime) -> Cells:
    ports = [str(each.get("port") or each.get("name") or "*") for each in value.get("ports") or ()]
    addresses = [str(one) for each in value.get("endpoints") or () for one in each.get("addresses") or ()]
    return {
        "AddressType": value.get("addressType", ""),
        "Ports": _first(ports) or UNSET,
        "Endpoints": _first(addresses) or UNSET,
    }


def ingress(value: Object, now: datetime) -> Cells:
    spec, status = value.get("spec") or {}, value.get("status") or {}
    rules = spec.get("rules") or ()
    hosts = ",".join(str(each["host"]) for each in rules[:_SHOWN] if each.get("host"))
    addresses = {
        each.get("ip") or each.get("hostname") for each in (status.get("loadBalancer") or {}).get("ingress") or ()
    }
    return {
        "Class": spec.get("ingressClassName") or NONE,
        "Hosts": f"{hosts}{_more(rules)}" if hosts else "*",
        "Address": ",".join(sorted(str(each) for each in addresses if each)),
        "Ports": "80, 443" if spec.get("tls") else "80",
    }


def ingress_class(value: Object, now: datetime) -> Cells:
    spec, metadata = value.get("spec") or {}, value.get("metadata") or {}
    is_default = (metadata.get("annotations") or {}).get("ingressclass.kubernetes.io/is-default-class") == "true"
    given, cell = spec.get("parameters"), NONE
    if given:
        group = f".{given['apiGroup']}" if given.get("apiGroup") is not None else ""
        cell = f"{given.get('kind', '')}{group}/{given.get('name', '')}"
    return {
        "Name": f"{metadata.get('name', '')}{' (default)' if is_default else ''}",
        "Controller": spec.get("controller", ""),
        "Parameters": cell,
    }


def ip_address(value: Object, now: datetime) -> Cells:
    parent = (value.get("spec") or {}).get("parentRef")
    if not parent:
        return {"ParentRef": NONE}
    kind = ".".join(str(parent[key]) for key in ("resource", "group") if parent.get(key)).lower()
    return {"ParentRef": "/".join(filter(None, (kind, parent.get("namespace"), parent.get("name"))))}


def service_cidr(value: Object, now: datetime) -> Cells:
    return {"CIDRs": ",".join((value.get("spec") or {}).get("cidrs") or ())}


def role_binding(value: Object, now: datetime) -> Cells:
    ref, named = value.get("roleRef") or {}, dict[str, list[str]]()
    for each in value.get("subjects") or ():
        name, kind = str(each.get("name", "")), str(each.get("kind"))
        named.setdefault(kind, []).append(f"{each.get('namespace', '')}/{name}" if kind == "ServiceAccount" else name)
    columns = {"User": "Users", "Group": "Groups", "ServiceAccount": "ServiceAccounts"}
    cell = {column: ", ".join(named.get(kind, ())) for kind, column in columns.items()}
    return {"Role": f"{ref.get('kind', '')}/{ref.get('name', '')}", **cell}


def controller_revision(value: Object, now: datetime) -> Cells:
    owners = (value.get("metadata") or {}).get("ownerReferences") or ()
    owner = next((each for each in owners if each.get("controller")), None)
    cell = NONE
    if owner is not None:
        group = str(owner.get("apiVersion", "")).rpartition("/")[0]
        kind = ".".join(filter(None, (str(owner.get("kind", "")), group))).lower()
        cell = f"{kind}/{owner.get('name', '')}"
    return {"Controller": cell, "Revision": value.get("revision", 0)}


def _with_port(address: str, port: Any) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _first(found: Sequence[str]) -> str:
    return f"{','.join(found[:_SHOWN])}{_more(found)}"


def _more(found: Sequence[Any]) -> str:
    return f" + {len(found) - _SHOWN} more..." if len(found) > _SHOWN else ""


def component_status(value: Object, now: datetime) -> Cells:
    """Return the cells of a ComponentStatus. Source: printComponentStatus."""
    healthy: Object = next((each for each in value.get("conditions") or () if each.get("type") == "Healthy"), {})
    cell = {"True": "Healthy", "False": "Unhealthy"}.get(healthy.get("status", ""), "Unknown")
    return {"Status": cell, "Message": healthy.get("message", ""), "Error": healthy.get("error", "")}


def certificate_request(value: Object, duration: Callable[[float], str]) -> Cells:
    """Return the cells of a CertificateSigningRequest. Source: printCertificateSigningRequest, extractCSRStatus."""
    spec, status = value.get("spec") or {}, value.get("status") or {}
    types = {each.get("type") for each in status.get("conditions") or ()}
    state = "Denied" if "Denied" in types else "Approved" if "Approved" in types else "Pending"
    failed, issued = "Failed" in types, bool(status.get("certificate"))
    seconds = spec.get("expirationSeconds")
    return {
        "SignerName": spec.get("signerName") or NONE,
        "Requestor": spec.get("username", ""),
        "RequestedDuration": NONE if seconds is None else duration(seconds),
        "Condition": f"{state}{',Failed' if failed else ''}{',Issued' if issued else ''}",
    }


def resource_claim(value: Object, now: datetime) -> Cells:
    status = value.get("status") or {}
    states = []
    if (value.get("metadata") or {}).get("deletionTimestamp"):
        states.append("deleted")
    held = ["allocated", "reserved"] if status.get("reservedFor") else ["allocated"]
    states += held if status.get("allocation") is not None else [] if states else ["pending"]
    return {"State": ",".join(states)}
