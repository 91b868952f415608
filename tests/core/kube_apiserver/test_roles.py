"""The roles of every cluster, and those that are made of others."""

from typing import Any

from kube_apiserver import built_in, roles

EDIT = "rbac.authorization.k8s.io/aggregate-to-edit"


def role(name: str, *rules: Any, of: str = "", **labels: str) -> dict[str, Any]:
    made: dict[str, Any] = {"metadata": {"name": name, "labels": labels}, "rules": list(rules)}
    if of:
        made["aggregationRule"] = {"clusterRoleSelectors": [{"matchLabels": {of: "yes"}}]}
    return made


def test_every_cluster_has_them() -> None:
    found = {kind: built_in.objects_of(kind) for kind in sorted(roles.KINDS)}
    assert {kind: len(objects) for kind, objects in found.items()} == {
        "ClusterRole": 71, "ClusterRoleBinding": 52, "Role": 7, "RoleBinding": 7,
    }  # fmt: skip
    assert found["ClusterRole"]["view"]["rules"] is None
    assert list(found["ClusterRole"]["view"]) == ["metadata", "rules", "aggregationRule"]
    assert found["ClusterRole"]["cluster-admin"]["rules"][1] == {"verbs": ["*"], "nonResourceURLs": ["*"]}
    assert "subjects" not in found["ClusterRoleBinding"]["system:node"]


def test_controllers_make_roles_of_others() -> None:
    known = [
        {**each, "metadata": {**each["metadata"], "name": name}}
        for name, each in roles.bootstrap_objects("ClusterRole").items()
    ]
    by_name = {each["metadata"]["name"]: each for each in known}
    made = {name: roles.aggregate_rules(by_name[name], known)["rules"] for name in ("view", "edit", "admin")}
    assert made["view"] == by_name["system:aggregate-to-view"]["rules"]
    assert made["edit"] == by_name["system:aggregate-to-edit"]["rules"] + made["view"]
    assert made["admin"] == made["edit"] + by_name["system:aggregate-to-admin"]["rules"]


def test_circles_and_rules_that_are_there_already_add_nothing() -> None:
    one, two = {"verbs": ["get"]}, {"verbs": ["list"]}
    known = [
        role("a", of="x", y="yes"),
        role("b", of="y", x="yes"),
        role("c", one, x="yes"),
        role("d", two, one, y="yes"),
    ]
    assert roles.aggregate_rules(known[0], known)["rules"] == [two, one]
    assert roles.aggregate_rules(known[1], known)["rules"] == [one, two]
    # A client's further ones stay as they were written.
    many = [role(f"{number:03}", of="x", x="yes") for number in range(roles.MAX_AGGREGATED_ROLES)]
    last = role("last", of="x")
    assert roles.aggregate_rules(last, [*many, last, *known]) == last
