"""Discovery documents of groups, versions, resources and subresources, legacy and aggregated; also `/version`."""

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
    """Return the document at `/metrics`: the build of the server.

    It contains no measurements, because they would be invented.
    """
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
    """Return the OpenID configuration of the token issuer. `keys` is the URL of KEYS.

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
    """Return the document at `/api`. Its server address is the endpoint of the `kubernetes` Service."""
    addresses = [{"clientCIDR": "0.0.0.0/0", "serverAddress": f"{built_in.ADDRESS}:{built_in.PORT}"}]
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": addresses}


def legacy_groups(custom: Sequence[Resource] = ()) -> Document:
    """Return the document at `/apis`. `custom`, here and below: the custom resources of the cluster."""
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
    """Return True for a path of a built-in group, even if no resource is at the path."""
    return parts[0] == "api" or (parts[0] == "apis" and len(parts) > 1 and is_group(parts[1]))


def paths(custom: Sequence[Resource] = ()) -> Document:
    """Return the document at `/`. Source: apiserver/pkg/server/routes/index.go."""
    served = {"/api", "/api/v1", "/apis", "/apis/", "/metrics", "/version"}
    served |= {"/.well-known/openid-configuration", "/openid/v1/jwks"}
    served |= {"/openapi/v2", "/openapi/v3", "/openapi/v3/"}
    for group, version in group_versions(custom):
        if group:
            served |= {f"/apis/{group}", f"/apis/{group}/{version}"}
    for probe in ("healthz", "livez", "readyz"):
        served |= {f"/{probe}", *(f"/{probe}/{check}" for check in health.checks(probe))}
    return {"paths": sorted(served)}


def is_group(name: str, custom: Sequence[Resource] = ()) -> bool:
    return name in _groups(custom)


def resource_list(group_name: str, version_name: str, custom: Sequence[Resource] = ()) -> Document:
    api_version = f"{group_name}/{version_name}" if group_name else version_name
    found = [entry for each in of_version(group_name, version_name, custom) for entry in _legacy(each)]
    # The list of the core group has no apiVersion, because it is older than versioned lists.
    version = {"apiVersion": "v1"} if "/" in api_version else {}
    return {"kind": "APIResourceList", **version, "groupVersion": api_version, "resources": found}


def aggregated(*, core: bool, custom: Sequence[Resource] = ()) -> Document:
    """Return `/api` (the core group) or `/apis` (all others) as one APIGroupDiscoveryList."""
    versions: dict[str, list[dict[str, Any]]] = {}
    for (group, version), resources in by_version(custom).items():
        if core == (not group):
            entries = [_aggregated(resource) for resource in resources]
            versions.setdefault(group, []).append({"version": version, "resources": entries, "freshness": "Current"})
    items = [{"metadata": {"name": group} if group else {}, "versions": found} for group, found in versions.items()]
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items}


def _groups(custom: Sequence[Resource]) -> Sequence[str]:
    return list(dict.fromkeys(name for name, _ in group_versions(custom) if name))


def _legacy(resource: Resource) -> Iterator[dict[str, Any]]:
    """Yield the entries of a resource and of its subresources."""
    verbs = {"verbs": list(resource.verbs)}
    place = {"namespaced": resource.namespaced, "kind": resource.manifest_kind}
    stored = {"storageVersionHash": resource.storage_hash} if resource.storage_hash else {}
    yield {"name": resource.name, "singularName": resource.singular, **place, **verbs, **_names(resource), **stored}
    for subresource in resource.subresources:
        kind = {key: subresource[key] for key in ("group", "version") if key in subresource}
        name = {"name": f"{resource.name}/{subresource['name']}", "singularName": "", "namespaced": resource.namespaced}
        yield {**name, **kind, "kind": subresource["kind"], "verbs": list(subresource["verbs"])}


def _names(resource: Resource) -> dict[str, Any]:
    names = {"shortNames": list(resource.short_names), "categories": list(resource.categories)}
    return {key: value for key, value in names.items() if value}


def _aggregated(resource: Resource) -> dict[str, Any]:
    entry = {
        "resource": resource.name,
        "responseKind": {"group": resource.group, "version": resource.version, "kind": resource.manifest_kind},
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
        **_names(resource),
    }
    subresources = [
        {
            "subresource": subresource["name"],
            "responseKind": {"group": resource.group, "version": resource.version}
            | {key: subresource[key] for key in ("group", "version", "kind") if key in subresource},
            "verbs": list(subresource["verbs"]),
        }
        for subresource in resource.subresources
    ]
    return entry | ({"subresources": subresources} if subresources else {})
