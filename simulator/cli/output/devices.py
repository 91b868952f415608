"""Lines of text about claims and devices."""

from collections.abc import Iterator, Mapping
from typing import Any

Answer = Mapping[str, Any]
MARKS = {"taken": "✓", "givenBack": "↺", "refused": "✕"}


def lines(answer: Answer) -> Iterator[str]:
    """Yield the lines about claims and devices; none for a pod without claims."""
    claims = answer["claims"]
    if claims["claims"] or claims["problem"]:
        yield ""
        yield from _claims(claims)
    if "allocation" in answer and answer["allocation"]["steps"]:
        yield ""
        yield from _search(answer["allocation"])
    if "devices" in answer:
        yield ""
        yield from _devices(answer["devices"])


def _claims(claims: Answer) -> Iterator[str]:
    yield "claims" + (f": {claims['problem']}" if claims["problem"] else "")
    for claim in claims["claims"]:
        devices = ", ".join(device["device"] for device in claim["devices"]) or "not allocated"
        yield f"  {claim['claim']}: {devices}"
        for request in claim["requests"]:
            yield f"    {_request(request)}"
    for node in claims["nodes"]:
        refused = ", ".join(f"{count} {kind}" for kind, count in node["refused"].items())
        yield f"  {node['node']}: {node['text']['text']}" + (f" (refused: {refused})" if refused else "")


def _request(request: Answer) -> str:
    if request["alternatives"]:
        return f"{request['name']}: the first of " + "; ".join(
            _request(alternative) for alternative in request["alternatives"]
        )
    count = "all" if request["mode"] == "All" else request["count"]
    where = "".join(f", {expression}" for expression in request["selectors"])
    return f"{request['name']}: {count} of class {request['class']}{where}"


def _search(search: Answer) -> Iterator[str]:
    yield f"the allocator on {search['node']}: {search['text']['text']}"
    for step in search["steps"]:
        why = f": {step['why']['text']}" if step["why"] else ""
        yield f"  {MARKS[step['did']]} {step['claim']} {step['request']} {step['device']}{why}"
    if search["omitted"]:
        yield f"  … {search['omitted']} more steps"


def _devices(inventory: Answer) -> Iterator[str]:
    if "nodes" in inventory:
        yield "devices"
        for node in inventory["nodes"]:
            counts = ", ".join(f"{count} {state}" for state, count in node["counts"].items() if count)
            tainted = f", {node['tainted']} tainted" if node["tainted"] else ""
            yield f"  {node['node']}: {counts}{tainted}"
        return
    yield f"devices of {inventory['node']}"
    for pool in inventory["pools"]:
        yield f"  {pool['driver']}/{pool['pool']}" + (f": {pool['problem']}" if pool["problem"] else "")
        for counter in pool["counters"]:
            yield f"    {counter['set']} {counter['counter']}: {counter['left']} of {counter['total']} left"
        for device in pool["devices"]:
            by = f" by {', '.join(device['by'])}" if device["by"] else ""
            taints = "".join(f" {taint}" for taint in device["taints"])
            answer = [f"{name}={value}" for name, value in device["attributes"].items()]
            yield f"    {device['device']}: {device['state']}{by}{taints}  {' '.join(answer)}".rstrip()
