"""Run a case about v1.20.2's reading of a Policy, a provider or a configuration (legacy FORMAT section 2)."""

import re
from collections.abc import Mapping
from typing import Any

from scheduler_core.config.encode import encode_fields
from scheduler_core.config.errors import ConfigError
from scheduler_core.config.types import Profile
from scheduler_core.framework.emulation import Emulation
from scheduler_core.legacy.build import Source, build
from scheduler_core.legacy.v1beta1 import API_VERSION

# Decoding errors whose whole text is the scheduler's own; of others only the unknown field they name, if any.
_OWN_WORDS = re.compile(r"(invalid policy: )?(no kind |Object ')")
_UNKNOWN_FIELD = re.compile(r'found unknown field: ([^,]+)(?:,|$)|unknown field "(?:[^"]*\.)?([^".]+)"')


def run(scenario: Mapping[str, Any], emulation: Emulation) -> dict[str, Any]:
    """Return the engine's answers in the form of `expected`."""
    result: dict[str, Any] = {"name": scenario["name"], "ok": False, "errors": [], "alwaysCheckAllPredicates": False}
    try:
        built = build(source_of(scenario), emulation.registry.points())
    except ConfigError as error:
        return result | {"stage": error.stage, "errors": error.texts}
    profiles = {}
    for profile in built.config.profiles:
        lists = built.profiles[profile.scheduler_name].to_dict()
        del lists["preEnqueue"]  # there was none
        profiles[profile.scheduler_name] = {"effective": lists, "pluginConfig": _plugin_config(profile)}
    all_predicates = built.always_check_all_predicates
    return result | {"ok": True, "alwaysCheckAllPredicates": all_predicates, "profiles": profiles}


def source_of(scenario: Mapping[str, Any]) -> Source:
    gates = scenario.get("featureGates") or {}
    return Source(scenario.get("provider"), scenario.get("policy"), scenario.get("config"), gates)


def _plugin_config(profile: Profile) -> list[dict[str, Any]]:
    """Return the args by plugin name in v1beta1 form."""
    return [
        {"name": name, "args": {"kind": f"{name}Args", "apiVersion": API_VERSION} | encode_fields(args)}
        for name, args in sorted(profile.plugin_args.items())
    ]


def comparable(expected: Mapping[str, Any]) -> dict[str, Any]:
    """Return the expectation with decoding errors cut to the part that doesn't depend on a JSON library."""
    if expected.get("stage") != "decode":
        return dict(expected)
    return dict(expected) | {"errors": [_cut(text) for text in expected["errors"]]}


def _cut(text: str) -> str:
    if _OWN_WORDS.match(text):
        return text
    found = _UNKNOWN_FIELD.search(text)
    return "cannot be decoded" if found is None else f"unknown field {found[1] or found[2]}"
