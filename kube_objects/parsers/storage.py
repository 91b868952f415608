"""Parsers shared by volumes, claims and storage classes."""

from kube_objects import field_errors, read
from kube_objects.parsers.resources import amount_milli, quantity_hint, resource_list
from kube_objects.quantity import QuantityError, whole_units
from kube_objects.read import Manifest, Problems
from kube_objects.sentences import quoted, say
from kube_objects.text.problems import Problem

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"


def access_modes(spec: Manifest, problems: Problems) -> tuple[str, ...]:
    modes = read.texts(spec, "accessModes", "spec", problems)
    for index, mode in enumerate(modes):
        if mode not in ACCESS_MODES:
            problems.append(field_errors.not_supported(f"spec.accessModes[{index}]", mode, ACCESS_MODES))
    if not spec.get("accessModes"):
        problems.append(field_errors.required("spec.accessModes", quoted("at least 1 access mode is required")))
    if "ReadWriteOncePod" in modes and len(set(modes)) > 1:
        rule = quoted("may not use ReadWriteOncePod with other access modes")
        problems.append(Problem("spec.accessModes", modes, rule))
    return modes


def storage(parent: Manifest, key: str, path: str, problems: Problems) -> int:
    """Return the `storage` of a resource list in bytes; it is required and positive."""
    before = len(problems)
    amounts = resource_list(parent, key, path, problems)
    if len(problems) > before:
        return 0
    if "storage" not in amounts:
        hint = say('a quantity like "10Gi"')
        problems.append(field_errors.required(f"{path}.{key}.storage", hint, field=f"{path}.{key}[storage]"))
    elif amounts["storage"] == 0:
        rule, field = quoted("must be greater than zero"), f"{path}.{key}[storage]"
        problems.append(Problem(f"{path}.{key}.storage", "0", rule, field=field))
    return whole_units(amounts.get("storage", 0))


def optional_amount(parent: Manifest, key: str, problems: Problems) -> int | None:
    value = parent.get(key)
    if value is None:
        return None
    try:
        milli = amount_milli(value)
    except QuantityError as error:
        problems.append(Problem(key, value, str(error), quantity_hint(value)))
        return None
    if milli < 0:
        problems.append(Problem(key, value, quoted("must be greater than or equal to 0")))
    return whole_units(milli)


def optional_text(parent: Manifest, key: str, path: str, problems: Problems) -> str | None:
    """Return the text; None if it is absent, which differs from ""."""
    return None if parent.get(key) is None else read.text(parent, key, path, problems)
