"""The scheduler's configuration: the one at work, its versions, drafts.

How a cluster schedules is no outcome, so none of it is held back from a class that is asked for one.
"""

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, SharedView, found, raw_json, valid
from playground.api.schema import WRITE, answers
from playground.configs import gates
from playground.configs import selectors as configs
from playground.configs.forms import ConfigDraft, ConfigText, VersionsQuery
from playground.explanations import drafts
from playground.questions.asking import ask


class ConfigDetail(SharedView):
    """The configuration at work."""

    @answers(configs.ConfigAnswer)
    def get(self, request: Request, cluster_id: int) -> Response:
        """As it was written, every profile as it takes effect, and where each part comes from."""
        return Response(configs.current(self.cluster))


class ConfigVersionList(SharedView):
    """Every configuration that was applied."""

    @answers(configs.ConfigVersions, parameters=[VersionsQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Who applied which when, and why; the newest first, a page at a time."""
        query = valid(VersionsQuery, request.query_params)
        return Response(configs.versions(self.cluster, query.get("before")))


class ConfigVersionDetail(SharedView):
    """One configuration that was applied."""

    @answers(configs.ConfigAnswer)
    def get(self, request: Request, cluster_id: int, version: int) -> Response:
        """As the one at work; version 0 is kube-scheduler's own."""
        return found(configs.version(self.cluster, version))


class ConfigCheckView(ClusterView):
    """A configuration that is not at work yet."""

    @answers(configs.ConfigCheck, write=True, request=ConfigText)
    def post(self, request: Request, cluster_id: int) -> Response:
        """What kube-scheduler would say to it, all problems at once, and what it would change. Nothing is changed."""
        form = valid(ConfigText, request.data)
        return Response(configs.checked(self.cluster, form["yaml"], form.get("against")))


class ConfigTry(ClusterView):
    """A configuration on trial."""

    @answers(drafts.draft, errors=(*WRITE, 410, 503), request=ConfigDraft)
    def post(self, request: Request, cluster_id: int) -> HttpResponse:
        """What a cycle would come to under it: who wins, which scores move, which nodes fit. Nothing changes."""
        form = valid(ConfigDraft, request.data)
        assert request.user.pk is not None  # nobody else gets here
        return raw_json(ask(request.user.pk, "draft", self.cluster.pk, form.get("cycle"), yaml=form["yaml"]))


class ConfigFormView(SharedView):
    """A configuration as a form."""

    @answers(configs.form_fields)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Every field with type, default, limits and help; every plugin with its extension points and arguments."""
        return Response(configs.form_fields(self.cluster.emulates))


class GateTable(SharedView):
    """The feature gates of a cluster's kube-scheduler."""

    @answers(gates.of_version)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Every gate of its version: stage, default, whether it is on, what it changes here."""
        return Response(gates.of_version(self.cluster.emulates))
