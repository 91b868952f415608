"""The active configuration as files: for a stock kube-scheduler, and for a real cluster."""

from playground import plugins, user_files
from playground.configs.selectors import active_config, active_text, full_config
from playground.models import Cluster
from playground.problems import Refused, list_api_problems
from scheduler_core.config import ConfigError
from scheduler_core.config.editing.minimal import minimal_dict
from scheduler_core.emulations import EMULATIONS, plain_version
from scheduler_core.legacy.translation.translate import translate
from scheduler_core.releases import V1_34 as DEFAULT_RULES
from simulator.exchange.deploy import command_comment, second_scheduler, static_pod_patch


def export_config(cluster: Cluster, form: str, scope: str = "full") -> str:
    """Return the configuration as a file that a stock kube-scheduler accepts, full or minimal; `form` is yaml or json.

    For an older version it is the text as it was written, because no current kube-scheduler could read it.
    """
    rules = plugins.rules(cluster.emulates)
    if rules is None:
        return active_text(cluster)
    text = user_files.write(
        full_config(cluster) if scope == "full" else minimal_dict(active_config(cluster), rules), form
    )
    return command_comment(EMULATIONS[cluster.emulates].gates) + text if form == "yaml" else text


def export_deployment(cluster: Cluster, way: str) -> str:
    """Return manifests that run the configuration in a real cluster; `way` is second-scheduler or static-pod."""
    if way == "static-pod":
        return static_pod_patch(EMULATIONS[cluster.emulates].gates)
    rules = plugins.rules(cluster.emulates)
    if rules is not None:
        gates = EMULATIONS[cluster.emulates].gates
        return second_scheduler(active_config(cluster), plain_version(cluster.emulates), rules, gates)
    try:
        config = plugins.load(translate(active_text(cluster)).config_text)
    except ConfigError as error:
        # For example the first-come-first-served queue, which current versions lack.
        raise Refused(list_api_problems(error), 409) from error
    return second_scheduler(config, plugins.TODAY, plugins.rules(plugins.TODAY) or DEFAULT_RULES)
