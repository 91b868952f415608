"""The scheduler's configuration."""

from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.answers import ConfigAnswer, ConfigCheck
from playground.api.base import ClusterView, valid
from playground.api.forms import ConfigText
from playground.api.schema import answers
from playground.selectors import configs


class ConfigDetail(ClusterView):
    """The configuration at work."""

    @answers(ConfigAnswer)
    def get(self, request: Request, cluster_id: int) -> Response:
        """As it was written, and every profile as it takes effect."""
        return Response(configs.current(self.cluster))


class ConfigCheckView(ClusterView):
    """A configuration that is not at work yet."""

    @answers(ConfigCheck, write=True, request=ConfigText)
    def post(self, request: Request, cluster_id: int) -> Response:
        """What kube-scheduler would say to it. Nothing is changed."""
        return Response(configs.checked(valid(ConfigText, request.data)["yaml"]))
