"""A configuration of any version comes into a cluster: read as the cluster's own version does, else translated."""

from playground import plugins
from playground.models import Cluster
from playground.problems import Refused, of_error
from scheduler_core.config import ConfigError
from scheduler_core.legacy.translate import translate


def check(cluster_id: int, text: str) -> str:
    """The text to apply. Raises Refused with all that is wrong with it."""
    emulates = Cluster.objects.values_list("emulates", flat=True).get(pk=cluster_id)
    try:
        plugins.load(text, emulates)
        return text
    except ConfigError as error:
        if emulates != plugins.TODAY:
            raise Refused(of_error(error)) from error
        translated = translate(text)
        if not translated.config_text or translated.problems:
            raise Refused(of_error(error)) from error
        return translated.config_text
