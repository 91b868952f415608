"""What clients ask first: groups, versions and resources, in both forms; and their subresources."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import account_tokens, built_in
from kube_apiserver.documents import health
from kube_apiserver.resources import Resource, by_version, group_versions, of_version

Document = Mapping[str, Any]

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


# Version → commit and date of the release. `kubectl --match-server-version` compares version, commit and tree state.
_RELEASES = {
    "v1.36.3": ("0f29094e5b73085e3802ecc1298ecae13866bfe6", "2026-07-22T18:10:35Z"),
    "v1.34.1": ("93248f9ae092f571eb870b7664c534bfc7d00f03", "2025-09-09T19:44:50Z"),
    "v1.20.2": ("faecb196815e248d3ecfb03c680a4507229c2a56", "2021-01-13T13:20:00Z"),
}


def version(emulated: str) -> Document:
    """Return the document at `/version`: the release of Kubernetes whose scheduler the cluster runs.

    `emulated` may have feature gates behind the version. Commit and date are those of the release, so that clients of
    that release accept the server.
    """
    release = emulated.partition(" ")[0]
    major, minor = re.findall(r"\d+", release)[:2]
    commit, date = _RELEASES.get(release, ("", "1970-01-01T00:00:00Z"))
    return {
        "major": major,
        "minor": minor,
        "emulationMajor": major,
        "emulationMinor": minor,
        "minCompatibilityMajor": major,
        "minCompatibilityMinor": str(int(minor) - 1),
        "gitVersion": release,
        "gitCommit": commit,
        "gitTreeState": "clean" if commit else "",
        "buildDate": date,
        "goVersion": "",
        "compiler": "",
        "platform": "playground",
    }


def metrics(emulated: str) -> str:
    """Return the document at `/metrics`: the build of the server, and no figures, because they would be made up."""
    labels = {
        "build_date": "buildDate",
        "compiler": "compiler",
        "git_commit": "gitCommit",
        "git_tree_state": "gitTreeState",
        "git_version": "gitVersion",
        "go_version": "goVersion",
        "major": "major",
        "minor": "minor",
        "platform": "platform",
    }
    build = version(emulated)
    written = ",".join(f'{label}="{build[name]}"' for label, name in labels.items())
    return (
        "# HELP kubernetes_build_info [BETA] A metric with a constant '1' value labeled by major, minor, git version, "
        "git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and "
        "platform on which it is running.\n# TYPE kubernetes_build_info gauge\n"
        f"kubernetes_build_info{{{written}}} 1\n"
    )


def minor(emulated: str) -> int:
    """Return the minor version of a release such as `v1.36.3`."""
    return int(emulated.split(".")[1])


KEYS: Document = {"keys": []}
"""The public keys of ServiceAccounts' tokens. There are none: a secret key signs and verifies the tokens."""


def issuer(keys: str) -> Document:
    """Who tokens of service accounts are from; `keys` is where KEYS are.

    Source: pkg/serviceaccount/openidmetadata.go.
    """
    return {
        "issuer": account_tokens.ISSUER,
        "jwks_uri": keys,
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["HS256"],
    }


def legacy_versions() -> Document:
    """The address is that of the `kubernetes` Service's endpoints: it is where the cluster finds its server."""
    addresses = [{"clientCIDR": "0.0.0.0/0", "serverAddress": f"{built_in.ADDRESS}:{built_in.PORT}"}]
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": addresses}


def legacy_groups(custom: Sequence[Resource] = ()) -> Document:
    """`custom`, here and below: the resources that clients of the cluster registered."""
    groups = [_group(name, custom) for name in _groups(custom)]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def group(name: str, custom: Sequence[Resource] = ()) -> Document:
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, custom)}


def _group(name: str, custom: Sequence[Resource]) -> Document:
    versions = [
        {"groupVersion": f"{name}/{version}", "version": version}
        for each, version in group_versions(custom)
        if each == name
    ]
    return {"name": name, "versions": versions, "preferredVersion": versions[0]}


def is_served(parts: Sequence[str]) -> bool:
    """Whether a path is of the groups that a server has of itself, whatever is there."""
    return parts[0] == "api" or (parts[0] == "apis" and len(parts) > 1 and is_group(parts[1]))


def paths(custom: Sequence[Resource] = ()) -> Document:
    """What there is to ask for. Source: apiserver/pkg/server/routes/index.go."""
    found = {"/api", "/api/v1", "/apis", "/apis/", "/metrics", "/version"}
    found |= {"/.well-known/openid-configuration", "/openid/v1/jwks"}
    found |= {"/openapi/v2", "/openapi/v3", "/openapi/v3/"}
    for group, version in group_versions(custom):
        if group:
            found |= {f"/apis/{group}", f"/apis/{group}/{version}"}
    for probe in ("healthz", "livez", "readyz"):
        found |= {f"/{probe}", *(f"/{probe}/{check}" for check in health.checks(probe))}
    return {"paths": sorted(found)}


def is_group(name: str, custom: Sequence[Resource] = ()) -> bool:
    return name in _groups(custom)


def resource_list(group_name: str, version_name: str, custom: Sequence[Resource] = ()) -> Document:
    api_version = f"{group_name}/{version_name}" if group_name else version_name
    found = [entry for each in of_version(group_name, version_name, custom) for entry in _legacy(each)]
    # The oldest group's list is of the time before lists had a version.
    version = {"apiVersion": "v1"} if "/" in api_version else {}
    return {"kind": "APIResourceList", **version, "groupVersion": api_version, "resources": found}


def aggregated(*, core: bool, custom: Sequence[Resource] = ()) -> Document:
    """`/api` (the core group) or `/apis` (all others) as one APIGroupDiscoveryList."""
    versions: dict[str, list[dict[str, Any]]] = {}
    for (group, version), resources in by_version(custom).items():
        if core == (not group):
            entries = [_aggregated(resource) for resource in resources]
            versions.setdefault(group, []).append({"version": version, "resources": entries, "freshness": "Current"})
    items = [{"metadata": {"name": group} if group else {}, "versions": found} for group, found in versions.items()]
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def _groups(custom: Sequence[Resource]) -> Sequence[str]:
    return list(dict.fromkeys(name for name, _ in group_versions(custom) if name))


def _legacy(each: Resource) -> Iterator[dict[str, Any]]:
    """A resource and its subresources."""
    verbs = {"verbs": list(each.verbs)}
    place = {"namespaced": each.namespaced, "kind": each.manifest_kind}
    stored = {"storageVersionHash": each.storage_hash} if each.storage_hash else {}
    yield {"name": each.name, "singularName": each.singular, **place, **verbs, **_names(each), **stored}
    for door in each.doors:
        kind = {key: door[key] for key in ("group", "version") if key in door}
        name = {"name": f"{each.name}/{door['name']}", "singularName": "", "namespaced": each.namespaced}
        yield {**name, **kind, "kind": door["kind"], "verbs": list(door["verbs"])}


def _names(each: Resource) -> dict[str, Any]:
    names = {"shortNames": list(each.short_names), "categories": list(each.categories)}
    return {key: value for key, value in names.items() if value}


def _aggregated(each: Resource) -> dict[str, Any]:
    found = {
        "resource": each.name,
        "responseKind": {"group": each.group, "version": each.version, "kind": each.manifest_kind},
        "scope": "Namespaced" if each.namespaced else "Cluster",
        "singularResource": each.singular,
        "verbs": list(each.verbs),
        **_names(each),
    }
    doors = [
        {
            "subresource": door["name"],
            "responseKind": {"group": each.group, "version": each.version}
            | {key: door[key] for key in ("group", "version", "kind") if key in door},
            "verbs": list(door["verbs"]),
        }
        for door in each.doors
    ]
    return found | ({"subresources": doors} if doors else {})
