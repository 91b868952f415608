"""The active configuration as files: for a stock kube-scheduler, and for a real cluster."""

from playground import files, plugins
from playground.configs.selectors import at_work, in_full, text_at_work
from playground.models import Cluster
from playground.problems import Refused, of_error
from scheduler_core.config import ConfigError
from scheduler_core.config.editing.minimal import minimal_dict
from scheduler_core.emulations import EMULATIONS, plain_version
from scheduler_core.legacy.translation.translate import translate
from scheduler_core.releases import V1_34 as DEFAULT_RULES
from simulator.exchange.deploy import command_comment, second_scheduler, static_pod_patch


def exported(cluster: Cluster, form: str, scope: str = "full") -> str:
    """Return the configuration as a file that a stock kube-scheduler accepts, full or minimal; `form` is yaml or json.

    For an older version it is the text as it was written, because no current kube-scheduler could read it.
    """
    rules = plugins.rules(cluster.emulates)
    if rules is None:
        return text_at_work(cluster)
    text = files.write(in_full(cluster) if scope == "full" else minimal_dict(at_work(cluster), rules), form)
    return command_comment(EMULATIONS[cluster.emulates].gates) + text if form == "yaml" else text


def deployed(cluster: Cluster, way: str) -> str:
    """Return manifests that run the configuration in a real cluster; `way` is second-scheduler or static-pod."""
    if way == "static-pod":
        return static_pod_patch(EMULATIONS[cluster.emulates].gates)
    rules = plugins.rules(cluster.emulates)
    if rules is not None:
        gates = EMULATIONS[cluster.emulates].gates
        return second_scheduler(at_work(cluster), plain_version(cluster.emulates), rules, gates)
    try:
        config = plugins.load(translate(text_at_work(cluster)).config_text)
    except ConfigError as error:
        # For example the first-come-first-served queue, which current versions lack.
        raise Refused(of_error(error), 409) from error
    return second_scheduler(config, plugins.TODAY, plugins.rules(plugins.TODAY) or DEFAULT_RULES)
