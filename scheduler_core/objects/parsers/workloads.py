"""Namespaces, services, owners of pods, disruption budgets, priority classes, pod groups."""

from scheduler_core.objects import names, read
from scheduler_core.objects.parsers.meta import read_meta
from scheduler_core.objects.parsers.pod import read_conditions
from scheduler_core.objects.parsers.selectors import from_labels, label_selector
from scheduler_core.objects.read import Manifest, Problems
from scheduler_core.objects.selectors import LabelSelector
from scheduler_core.objects.workloads import Namespace, PodDisruptionBudget, PodGroup, PriorityClass, Service, Workload
from scheduler_core.text.problems import Problem

NAME_LABEL = "kubernetes.io/metadata.name"
_HIGHEST_USER_PRIORITY = 1_000_000_000
# Source: pkg/apis/scheduling/helpers.go SystemPriorityClasses.
_SYSTEM_PRIORITY_CLASSES = ("system-cluster-critical", "system-node-critical")


def parse_namespace(manifest: Manifest, problems: Problems) -> Namespace:
    """Every namespace bears its name as a label. Source: SetDefaults_Namespace."""
    meta = read_meta("Namespace", manifest, problems, namespaced=False, name_rule=names.dns_label)
    meta["labels"] = {**meta["labels"], NAME_LABEL: meta["name"]}
    return Namespace(**meta)


def parse_service(manifest: Manifest, problems: Problems) -> Service:
    meta = read_meta("Service", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    return Service(**meta, selector=read.label_map(spec, "selector", "spec", problems))


def parse_workload(kind: str, manifest: Manifest, problems: Problems) -> Workload:
    """A ReplicaSet or StatefulSet."""
    meta = read_meta(kind, manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    selector = label_selector(spec, "selector", "spec", problems)
    if selector is None and spec.get("selector") is None:
        problems.append(Problem("spec.selector", None, "Required value", "as in the template's labels"))
    return Workload(**meta, selector=selector)


def parse_replication_controller(manifest: Manifest, problems: Problems) -> Workload:
    """Its selector is plain labels, those of the template if it has none. Source: SetDefaults_ReplicationController."""
    meta = read_meta("ReplicationController", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    labels = read.label_map(spec, "selector", "spec", problems)
    if not labels:
        template = read.mapping(spec, "template", "spec", problems) or {}
        metadata = read.mapping(template, "metadata", "spec.template", problems) or {}
        labels = read.label_map(metadata, "labels", "spec.template.metadata", problems)
        meta["labels"] = meta["labels"] or labels
    return Workload(**meta, selector=LabelSelector(tuple(from_labels(labels))))


def parse_priority_class(manifest: Manifest, problems: Problems) -> PriorityClass:
    """Source: pkg/apis/scheduling/validation ValidatePriorityClass."""
    meta = read_meta("PriorityClass", manifest, problems, namespaced=False)
    value = read.integer(manifest, "value", "", problems)
    if value is not None and value > _HIGHEST_USER_PRIORITY and meta["name"] not in _SYSTEM_PRIORITY_CLASSES:
        problems.append(Problem("value", value, f"must be no more than {_HIGHEST_USER_PRIORITY}"))
    return PriorityClass(
        **meta,
        value=value or 0,
        global_default=read.boolean(manifest, "globalDefault", "", problems),
        preemption_policy=read.choice(
            manifest, "preemptionPolicy", "", problems, ("Never", "PreemptLowerPriority"), "PreemptLowerPriority"
        ),
    )


def parse_pod_disruption_budget(manifest: Manifest, problems: Problems) -> PodDisruptionBudget:
    meta = read_meta("PodDisruptionBudget", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    status = read.mapping(manifest, "status", "", problems) or {}
    return PodDisruptionBudget(
        **meta,
        selector=label_selector(spec, "selector", "spec", problems),
        disruptions_allowed=read.integer(status, "disruptionsAllowed", "status", problems) or 0,
        disrupted_pods=frozenset(read.mapping(status, "disruptedPods", "status", problems) or ()),
    )


def parse_pod_group(manifest: Manifest, problems: Problems) -> PodGroup:
    """Source: pkg/apis/scheduling/validation ValidatePodGroup."""
    meta = read_meta("PodGroup", manifest, problems)
    spec = read.mapping(manifest, "spec", "", problems) or {}
    path = "spec.schedulingPolicy"
    policy = read.mapping(spec, "schedulingPolicy", "spec", problems) or {}
    gang = read.mapping(policy, "gang", path, problems)
    if (gang is None) == (policy.get("basic") is None):
        problems.append(Problem(path, None, "must have exactly one of basic and gang"))
    return PodGroup(
        **meta,
        min_count=None if gang is None else _min_count(gang, f"{path}.gang", problems),
        conditions=read_conditions(read.mapping(manifest, "status", "", problems) or {}, problems),
    )


def _min_count(gang: Manifest, path: str, problems: Problems) -> int:
    if gang.get("minCount") is None:
        problems.append(Problem(f"{path}.minCount", None, "Required value"))
    return read.integer(gang, "minCount", path, problems, 1) or 1
