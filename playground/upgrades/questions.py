"""What would another version of kube-scheduler do with the pods of a cluster?"""

from collections.abc import Mapping
from typing import Any

from playground.problems import Refused, of_error, problem
from playground.questions.moments import Moment
from scheduler_core.config import ConfigError
from scheduler_core.emulations import emulation_of
from scheduler_core.gates import GateError, parse_gates
from scheduler_core.upgrade.of_simulation import upgrade_of
from scheduler_core.upgrade.report import described


def report(moment: Moment, arguments: Mapping[str, Any]) -> Any:
    """All pods as they were given, under the cluster's own version and under the other. Extenders are not called."""
    try:
        new = emulation_of(arguments["to"], parse_gates(arguments["gates"]))
    except GateError as error:
        raise Refused([problem("gates", str(error), arguments["gates"])]) from error
    try:
        return described(upgrade_of(moment.simulation, new))
    except ConfigError as error:
        raise Refused(of_error(error)) from error
