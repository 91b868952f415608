"""Volumes of pods."""

from kube_objects import field_errors, names, read
from kube_objects.read import Manifest, Problems
from kube_objects.sentences import quoted
from kube_objects.text.problems import Problem
from kube_objects.volumes import PodVolume


def pod_volumes(spec: Manifest, problems: Problems, pod_name: str) -> tuple[PodVolume, ...]:
    """Return the volumes; one without a source is an emptyDir. Source: SetDefaults_Volume, ValidateVolumes."""
    volumes = []
    seen = set()
    for path, item in read.mappings(spec, "volumes", "spec", problems):
        name = read.required_text(item, "name", path, problems)
        if name and (rule := names.dns_label(name)):
            problems.append(Problem(f"{path}.name", name, rule))
        if name and name in seen:
            problems.append(field_errors.duplicate(f"{path}.name", name))
        seen.add(name)
        sources = [key for key, value in item.items() if key != "name" and value is not None]
        if len(sources) > 1:
            rule = quoted("may not specify more than 1 volume type: {names}", names=", ".join(map(str, sources)))
            problems.append(Problem(path, name, rule))
        source = sources[0] if sources else "emptyDir"
        source_spec = read.mapping(item, source, path, problems) or {}
        source_path = f"{path}.{source}"
        claim_name = ""
        if source == "persistentVolumeClaim":
            claim_name = read.required_text(source_spec, "claimName", source_path, problems)
        elif source == "ephemeral":
            claim_name = f"{pod_name}-{name}"
        read_only = read.boolean(source_spec, "readOnly", source_path, problems)
        volumes.append(PodVolume(name, source, source_spec, claim_name, read_only))
    return tuple(volumes)
