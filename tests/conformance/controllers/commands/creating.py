"""The objects that `kubectl create …`, `run` and `autoscale` create. Source: kubectl/pkg/cmd."""

from collections.abc import Callable, Mapping
from typing import Any

from kube_objects.manifests import Manifest, name
from tests.conformance.controllers.arguments import IN_SET, SEPARATING, Arguments, Fault
from tests.conformance.controllers.commands import roles, services
from tests.conformance.controllers.patches import merged
from tests.conformance.controllers.targets import read_one

_GROUPS = {"Deployment": "apps/v1", "Job": "batch/v1", "CronJob": "batch/v1", "PodDisruptionBudget": "policy/v1"}


def typed(of: str, arguments: Arguments, files: Mapping[str, str]) -> dict[str, Any]:
    """Return the object of a command such as `kubectl create deployment web --image=…`."""
    make = _MAKERS.get(of)
    if make is None or len(arguments.words) < 2:
        raise Fault(f"error: unknown command create {of}")
    made = make(arguments.words[1], arguments)
    if made["kind"] == "ConfigMap":
        made["data"] = _data(arguments, files)
    return made


def _data(arguments: Arguments, files: Mapping[str, str]) -> dict[str, str]:
    """Return data of `--from-literal=a=b` and `--from-file=[a=]file`; a folder stands for its files. Raises Fault."""
    found = dict(one.split("=", 1) for one in arguments.all("from-literal") if "=" in one)
    for one in arguments.all("from-file"):
        key, _, place = one.rpartition("=")
        inside = {place: files[place]} if place in files else _in_folder(place.rstrip("/"), files)
        if not inside:
            raise Fault(f"error: error reading {place}: no such file or directory")
        found |= {key or at.rpartition("/")[2]: text for at, text in inside.items()}
    return found


def _in_folder(place: str, files: Mapping[str, str]) -> dict[str, str]:
    return {at: text for at, text in files.items() if at.rpartition("/")[0] == place}


def _object(kind: str, named: str, **parts: Any) -> dict[str, Any]:
    return {"apiVersion": _GROUPS.get(kind, "v1"), "kind": kind, "metadata": {"name": named}, **parts}


def _containers(named: str, arguments: Arguments) -> list[dict[str, Any]]:
    images = arguments.all("image")
    if not images:
        raise Fault('error: required flag(s) "image" not set')
    if len(images) > 1 and arguments.command:
        raise Fault("error: cannot specify multiple --image options and command")
    if len(images) == 1:
        made: dict[str, Any] = {"name": named, "image": images[0]}
        if arguments.command:
            made["command"] = list(arguments.command)
        return [made]
    return [{"name": one.rpartition("/")[2].partition(":")[0], "image": one} for one in images]


def _deployment(named: str, arguments: Arguments) -> dict[str, Any]:
    images = arguments.all("image")
    of = images[0].rpartition("/")[2].partition(":")[0] if images else named
    labels = {"app": named}
    containers = _containers(of, arguments)
    if port := arguments.one("port"):
        containers[0]["ports"] = [{"containerPort": int(port)}]
    return _object(
        "Deployment",
        named,
        spec={
            "replicas": int(arguments.one("replicas", "r") or 1),
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        },
    ) | {"metadata": {"name": named, "labels": labels}}


def _job_spec(named: str, arguments: Arguments, policy: str) -> dict[str, Any]:
    return {"template": {"spec": {"containers": _containers(named, arguments), "restartPolicy": policy}}}


def _job(named: str, arguments: Arguments) -> dict[str, Any]:
    return _object("Job", named, spec=_job_spec(named, arguments, "Never"))


def _cron_job(named: str, arguments: Arguments) -> dict[str, Any]:
    policy = arguments.one("restart") or "OnFailure"
    template = {"metadata": {"name": named}, "spec": _job_spec(named, arguments, policy)}
    return _object("CronJob", named, spec={"schedule": arguments.one("schedule"), "jobTemplate": template})


def _budget(named: str, arguments: Arguments) -> dict[str, Any]:
    bounds = {
        field: int(value) if value.isdigit() else value
        for field, flag in (("minAvailable", "min-available"), ("maxUnavailable", "max-unavailable"))
        if (value := arguments.one(flag))
    }
    if not arguments.one("selector"):
        raise Fault("error: a selector must be specified")
    if len(bounds) != 1:
        raise Fault("error: one of min-available or max-unavailable must be specified")
    return _object("PodDisruptionBudget", named, spec={"selector": _selector(arguments.one("selector")), **bounds})


def _selector(text: str) -> dict[str, Any]:
    """Return the text as a label selector. Source: metav1.ParseToLabelSelector."""
    labels: dict[str, str] = {}
    expressions: list[dict[str, Any]] = []
    for part in filter(None, map(str.strip, SEPARATING.split(text))):
        if found := IN_SET.fullmatch(part):
            values = sorted(one.strip() for one in found["values"].split(","))
            expressions.append({"key": found["key"], "operator": "NotIn" if found["not"] else "In", "values": values})
        elif "!=" in part:
            key, _, value = part.partition("!=")
            expressions.append({"key": key, "operator": "NotIn", "values": [value]})
        elif "=" in part:
            key, _, value = part.replace("==", "=").partition("=")
            labels[key] = value
        else:
            operator = "DoesNotExist" if part.startswith("!") else "Exists"
            expressions.append({"key": part.lstrip("!"), "operator": operator})
    return {
        **({"matchLabels": labels} if labels else {}),
        **({"matchExpressions": expressions} if expressions else {}),
    }


def _quota(named: str, arguments: Arguments) -> dict[str, Any]:
    hard = dict(one.split("=", 1) for one in arguments.one("hard").split(",") if "=" in one)
    scopes = [one for one in arguments.one("scopes").split(",") if one]
    return _object("ResourceQuota", named, spec={"hard": hard, **({"scopes": scopes} if scopes else {})})


def _priority_class(named: str, arguments: Arguments) -> dict[str, Any]:
    made = _object("PriorityClass", named, value=int(arguments.one("value") or 0))
    policy = arguments.one("preemption-policy")
    return {
        **made,
        "apiVersion": "scheduling.k8s.io/v1",
        "globalDefault": arguments.has("global-default"),
        **({"preemptionPolicy": policy} if policy else {}),
    }


_MAKERS: Mapping[str, Callable[[str, Arguments], dict[str, Any]]] = {
    "deployment": _deployment,
    "deploy": _deployment,
    "job": _job,
    "cronjob": _cron_job,
    "cj": _cron_job,
    "poddisruptionbudget": _budget,
    "pdb": _budget,
    "quota": _quota,
    "resourcequota": _quota,
    "priorityclass": _priority_class,
    "pc": _priority_class,
    "namespace": lambda named, _: _object("Namespace", named),
    "ns": lambda named, _: _object("Namespace", named),
    "serviceaccount": lambda named, _: _object("ServiceAccount", named),
    "sa": lambda named, _: _object("ServiceAccount", named),
    "secret": services.secret,
    "service": services.service,
    "svc": services.service,
    "role": roles.role("Role"),
    "rolebinding": roles.binding("RoleBinding"),
    "clusterrole": roles.role("ClusterRole"),
    "clusterrolebinding": roles.binding("ClusterRoleBinding"),
    "ingress": services.ingress,
    "ing": services.ingress,
    "configmap": lambda named, _: _object("ConfigMap", named),
    "cm": lambda named, _: _object("ConfigMap", named),
}


def pod(named: str, arguments: Arguments) -> dict[str, Any]:
    """Return the Pod of `kubectl run`."""
    labels = dict(one.split("=", 1) for one in arguments.one("labels", "l").split(",") if "=" in one)
    (container,) = _containers(named, arguments)[:1]
    if container.get("command") and not arguments.has("command"):
        container["args"] = container.pop("command")
    made = _object(
        "Pod", named, spec={"containers": [container], "restartPolicy": arguments.one("restart") or "Always"}
    )
    whole = made | {"metadata": {"name": named, "labels": labels or {"run": named}}}
    overrides = arguments.one("overrides")
    return (
        dict(merged(whole, read_one(overrides), arguments.one("override-type") == "strategic")) if overrides else whole
    )


def job_of(cron_job: Manifest, named: str) -> dict[str, Any]:
    """Return the Job of `kubectl create job NAME --from=cronjob/…`. Source: createJobFromCronJob."""
    template = (cron_job.get("spec") or {}).get("jobTemplate") or {}
    about = template.get("metadata") or {}
    owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": name(cron_job), "uid": cron_job["metadata"]["uid"]}
    metadata = {
        "name": named,
        "namespace": cron_job["metadata"].get("namespace"),
        "labels": about.get("labels") or {},
        "annotations": {"cronjob.kubernetes.io/instantiate": "manual", **(about.get("annotations") or {})},
        "ownerReferences": [{**owner, "controller": True}],
    }
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": template.get("spec") or {}}


def service(target: Manifest, arguments: Arguments) -> dict[str, Any]:
    """Return the Service of `kubectl expose`."""
    port = arguments.one("port")
    wanted = target.get("spec") or {}
    selector = wanted.get("selector") or {}
    if target["kind"] == "Pod":
        selector = (target["metadata"].get("labels")) or {}
    elif target["kind"] not in ("Service", "ReplicationController"):
        selector = selector.get("matchLabels") or {}
    if not port.isdigit():
        raise Fault("error: couldn't find port via --port flag or introspection")
    if not selector:
        raise Fault("error: couldn't retrieve selectors via --selector flag or introspection")
    made = _object("Service", arguments.one("name") or name(target))
    about = {**made["metadata"], "namespace": target["metadata"].get("namespace")}
    of = {"port": int(port), "protocol": arguments.one("protocol") or "TCP"}
    return {**made, "metadata": about, "spec": {"selector": selector, "ports": [of]}}


def autoscaler(target: Manifest, arguments: Arguments) -> dict[str, Any]:
    """Return the HorizontalPodAutoscaler of `kubectl autoscale`."""
    bounds: dict[str, Any] = {"maxReplicas": int(arguments.one("max") or 0)}
    if arguments.one("min"):
        bounds["minReplicas"] = int(arguments.one("min"))
    if bounds["maxReplicas"] < 1:
        raise Fault("error: --max=MAXPODS is required and must be at least 1")
    metrics = []
    if arguments.one("cpu-percent", "cpu"):
        used = int(arguments.one("cpu-percent", "cpu").rstrip("%"))
        aim = {"type": "Utilization", "averageUtilization": used}
        metrics.append({"type": "Resource", "resource": {"name": "cpu", "target": aim}})
    reference = {"apiVersion": target["apiVersion"], "kind": target["kind"], "name": name(target)}
    made = _object("HorizontalPodAutoscaler", arguments.one("name") or name(target))
    about = {**made["metadata"], "namespace": target["metadata"].get("namespace")}
    wanted = {"scaleTargetRef": reference, **bounds, **({"metrics": metrics} if metrics else {})}
    return {**made, "apiVersion": "autoscaling/v2", "metadata": about, "spec": wanted}
