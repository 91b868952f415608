"""Config command: show the effective configuration, export it, or translate one of an old release."""

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from scheduler_core.config import (
    ConfigError,
    ConfigRules,
    SchedulerConfiguration,
    check,
    export_yaml,
    load,
    minimal_yaml,
)
from scheduler_core.config.out_of_tree import without
from scheduler_core.config.rules import Points
from scheduler_core.emulations import DEFAULT, EMULATIONS, plain_version
from scheduler_core.framework.emulation import Emulation
from scheduler_core.legacy.translation.translate import Line, Translation, translate
from simulator.cli.errors import BAD_INPUT, OK, InputError
from simulator.cli.input.inputs import (
    add_gates_argument,
    config_problems,
    display_name,
    print_note,
    read_config_text,
    read_emulation,
    read_plugins,
)
from simulator.cli.language import in_words
from simulator.exchange.deploy import command_comment, second_scheduler, static_pod_patch

_EXPORTS: Mapping[str, Callable[[SchedulerConfiguration, Emulation], str]] = {
    "minimal": lambda config, of: command_comment(of.gates) + minimal_yaml(config, _rules(of)),
    "full": lambda config, of: command_comment(of.gates) + export_yaml(config),
    "second-scheduler": lambda config, of: second_scheduler(config, plain_version(of.version), _rules(of), of.gates),
    "static-pod": lambda config, of: static_pod_patch(of.gates),
}
# Versions that read the current configuration API.
_VERSIONS = tuple(version for version, emulation in EMULATIONS.items() if emulation.rules is not None)


def _rules(emulation: Emulation) -> ConfigRules:
    assert emulation.rules is not None  # The options offer no other versions.
    return emulation.rules


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 the configuration is valid, 2 it is invalid"
    parser.add_argument("config", metavar="FILE", help="a KubeSchedulerConfiguration; - reads stdin")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the effective configuration as JSON")
    export = (
        "print a file: minimal (only differences from the defaults), full, second-scheduler (a Deployment), "
        "or static-pod (a patch of the control plane's scheduler)"
    )
    form.add_argument("--export", choices=tuple(_EXPORTS), help=export)
    translated = "translate a FILE of an old release (v1beta1 to v1beta3, a Policy, flags), and explain each line"
    parser.add_argument("--translate", action="store_true", help=translated)
    left_out = "ignore out-of-tree plugins that no module of --plugins contains"
    parser.add_argument("--without-plugins", action="store_true", help=left_out)
    plugins = "a Python module with out-of-tree plugins in the tuple PLUGINS (may be repeated)"
    parser.add_argument("--plugins", action="append", default=[], metavar="MODULE", help=plugins)

    version = "the version of kube-scheduler that reads FILE (default %(default)s)"
    parser.add_argument("--emulate", choices=_VERSIONS, default=DEFAULT.version, help=version)
    add_gates_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status. Raises InputError."""
    emulation = read_emulation(arguments)
    points, rules = read_plugins(arguments.plugins, emulation).points(), _rules(emulation)
    text = read_config_text(arguments.config)
    if arguments.translate:
        translation = translate(text, rules, points)
        if arguments.json:
            print(json.dumps(_translated(translation)))
            return BAD_INPUT if translation.problems else OK
        if translation.problems:
            raise InputError(config_problems(display_name(arguments.config), "translate", translation.problems))
        text = translation.config_text
        if not arguments.export and not arguments.without_plugins:
            _without_plugins(arguments.config, text, points)
            print(*_commented(translation), sep="\n")
            return OK
    if arguments.without_plugins:
        text = _without_plugins(arguments.config, text, points)
    if arguments.json:
        result = check(text, points, rules=rules)
        print(json.dumps(result))
        return OK if result["ok"] else BAD_INPUT
    try:
        config = load(text, points, rules=rules)
    except ConfigError as error:
        raise InputError(config_problems(display_name(arguments.config), error.stage, error.problems)) from error
    if arguments.export:
        sys.stdout.write(_EXPORTS[arguments.export](config, emulation))
        return OK
    return _show(text, points, rules)


def _translated(translation: Translation) -> dict[str, Any]:
    problems = [
        {
            "path": problem.path,
            "message": problem.rule,
            "line": problem.line,
            "hint": problem.hint,
            "text": problem.text,
        }
        for problem in translation.problems
    ]
    return {**dataclasses.asdict(translation), "problems": problems}


def _without_plugins(name: str, text: str, points: Points) -> str:
    """Return the configuration without unknown plugins, and print a note for each."""
    reduced, lost = without(text, points)
    for plugin in lost:
        print_note(f"{display_name(name)}: {in_words(str(plugin))}")
    return reduced


def _show(text: str, points: Points, rules: ConfigRules) -> int:
    for name, profile in check(text, points, rules=rules)["effective"].items():
        print(f"profile {name}")
        for point, plugins in profile.items():
            if plugins:
                print(f"  {point}: {', '.join(map(_plugin, plugins))}")
    return OK


def _plugin(plugin: str | list[str | int]) -> str:
    return plugin if isinstance(plugin, str) else f"{plugin[0]} {plugin[1]}"


def _commented(translation: Translation) -> Iterator[str]:
    """Yield the configuration, with a comment above for the translation of each line."""
    yield from (f"# {_line_text(line)}" for line in translation.lines)
    yield translation.config_text.rstrip("\n")


def _line_text(line: Line) -> str:
    where = f"{line.line}: {line.path}: {' '.join(line.value.split())}" if line.path else "default"
    removed = f" [removed in {line.removed_in}]" if line.removed_in else ""
    return f"{where} → {line.became or 'nothing'}: {in_words(line.explanation)}{removed}"
