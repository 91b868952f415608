"""Write kube_apiserver/data/resources.json: the served resources, in the form of an API server's discovery.

Prints the lines that `kube_objects/kinds/api_names.py` lacks.

    python tools/kubernetes_resources.py discovery.json.gz

The file holds the answers of a kube-apiserver: `aggregated` of `/api` and `/apis`, `resourceLists`, `tables`.
"""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "kube_apiserver/data/resources.json"
ORIGIN = (
    "what kube-apiserver v1.36.2 answers to discovery, and the columns of its tables; "
    "names are in kube_objects/kinds/api_names.py"
)
NAMES = ROOT / "kube_objects/kinds/api_names.py"
NAME = {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0}
# Of kinds whose tables are not recorded: what stands between the name and the age, and behind it.
# Source: pkg/printers/internalversion/printers.go.
_WEBHOOKS = ("Webhooks", "integer", "Webhooks indicates the number of webhooks registered in this configuration")
_KIND = ("ParamKind", "string", "ParamKind specifies the kind of resources used to parameterize this policy")
_BINDING = (
    ("PolicyName", "string", "PolicyName indicates the policy definition which the policy binding binded to"),
    ("ParamRef", "string", "ParamRef indicates the param resource which sets the configuration param"),
)
_RULES = "indicates the number of {} rules defined in this configuration"
BETWEEN: dict[str, tuple[tuple[str, str, str], ...]] = {
    "flowschemas": tuple(
        (name, "string", "") for name in ("PriorityLevel", "MatchingPrecedence", "DistinguisherMethod")
    ),
    "mutatingadmissionpolicies": (("Mutations", "integer", f"Mutation {_RULES.format('mutations')}"), _KIND),
    "mutatingadmissionpolicybindings": _BINDING,
    "mutatingwebhookconfigurations": (_WEBHOOKS,),
    "prioritylevelconfigurations": tuple(
        (name, "string", "") for name in ("Type", "NominalConcurrencyShares", "Queues", "HandSize", "QueueLengthLimit")
    ),
    "validatingadmissionpolicies": (("Validations", "integer", f"Validations {_RULES.format('validation')}"), _KIND),
    "validatingadmissionpolicybindings": _BINDING,
    "validatingwebhookconfigurations": (_WEBHOOKS,),
}
BEHIND = {"flowschemas": (("MissingPL", "string", "references a broken or non-existent PriorityLevelConfiguration"),)}
AGE = {"name": "Age", "type": "string", "format": "", "description": "", "priority": 0}


def main() -> None:
    with gzip.open(sys.argv[1]) as file:
        recorded = json.load(file)
    columns = {path: table["columnDefinitions"] for path, table in recorded["tables"].items()}
    hashes = {
        (path, each["name"]): each["storageVersionHash"]
        for path, answer in recorded["resourceLists"].items()
        for each in answer["body"]["resources"]
        if "storageVersionHash" in each
    }
    found, lines = [], []
    for answer in recorded["aggregated"].values():
        for group in answer["body"]["items"]:
            name = group["metadata"].get("name", "")
            for version in group["versions"]:
                found += [resource(name, version["version"], each, columns, hashes) for each in version["resources"]]
                lines += [names(name, version["version"], each) for each in version["resources"]]
    text = json.dumps({"origin": ORIGIN, "resources": found}, indent=1)
    TARGET.write_text(f"{text}\n", encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {len(found)} resources")
    known = NAMES.read_text(encoding="utf-8").splitlines()
    print("\n".join(line for line in lines if line not in known))


def names(group: str, version: str, each: dict[str, Any]) -> str:
    short_names, categories = (",".join(each.get(field) or ()) or "-" for field in ("shortNames", "categories"))
    scope = "yes" if each["scope"] == "Namespaced" else "no"
    place, kind = f"{group}/{version}" if group else version, each["responseKind"]["kind"]
    return f"{each['resource']} {short_names} {place} {scope} {kind} {categories}"


def resource(group: str, version: str, each: dict[str, Any], columns: Any, hashes: Any) -> dict[str, Any]:
    place = f"/apis/{group}/{version}" if group else f"/api/{version}"
    optional = {
        "hash": hashes.get((place, each["resource"])),
        "doors": [door(one) for one in each.get("subresources", ())],
    }
    return {
        "group": group,
        "version": version,
        "kind": each["responseKind"]["kind"],
        "verbs": each["verbs"],
        **{key: value for key, value in optional.items() if value},
        "columns": columns.get(f"{place}/{each['resource']}") or unrecorded(each["resource"]),
    }


def unrecorded(name: str) -> list[dict[str, Any]]:
    between, behind = (
        [{"name": title, "type": kind, "format": "", "description": text, "priority": 0} for title, kind, text in found]
        for found in (BETWEEN.get(name, ()), BEHIND.get(name, ()))
    )
    return [NAME, *between, AGE, *behind]


def door(each: dict[str, Any]) -> dict[str, Any]:
    kind = {key: value for key, value in each["responseKind"].items() if value}
    return {"name": each["subresource"], **kind, "verbs": each["verbs"]}


if __name__ == "__main__":
    main()
