"""API views of the scheduler's configuration: the active one, its versions, drafts.

A configuration is no outcome, so an open class question hides none of it.
"""

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import ClusterView, SharedView, raw_json, respond, validate_data
from playground.api.schema import WRITE, answers
from playground.configs import feature_gates
from playground.configs import selectors as configs
from playground.configs.forms import ConfigDraft, ConfigText, VersionsQuery
from playground.explanations import drafts
from playground.questions.ask_worker import ask_question


class ConfigDetail(SharedView):
    """The active configuration."""

    @answers(configs.ConfigAnswer)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return the text as written, every effective profile, and the origin of each part."""
        return Response(configs.read_current(self.cluster))


class ConfigVersionList(SharedView):
    """Every configuration that was applied."""

    @answers(configs.ConfigVersions, parameters=[VersionsQuery])
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return a page of applied versions, newest first, with author, note and time."""
        query = validate_data(VersionsQuery, request.query_params)
        return Response(configs.read_versions(self.cluster, query.get("before")))


class ConfigVersionDetail(SharedView):
    """One configuration that was applied."""

    @answers(configs.ConfigAnswer)
    def get(self, request: Request, cluster_id: int, version: int) -> Response:
        """Return a version in the form of the active one; version 0 is kube-scheduler's default."""
        return respond(configs.read_version(self.cluster, version))


class ConfigCheckView(ClusterView):
    """A configuration that is not active yet."""

    @answers(configs.ConfigCheck, write=True, request=ConfigText)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Return all of kube-scheduler's errors, and the changes it would make. The cluster stays unchanged."""
        form = validate_data(ConfigText, request.data)
        return Response(configs.check_draft(self.cluster, form["yaml"], form.get("against")))


class ConfigTry(ClusterView):
    """A configuration in a trial run."""

    @answers(drafts.run_draft, errors=(*WRITE, 410, 503), request=ConfigDraft)
    def post(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return winner, changed scores and feasible Nodes of a cycle under it. The cluster stays unchanged."""
        form = validate_data(ConfigDraft, request.data)
        assert request.user.pk is not None  # the view requires a login
        return raw_json(ask_question(request.user.pk, "draft", self.cluster.pk, form.get("cycle"), yaml=form["yaml"]))


class ConfigFormView(SharedView):
    """A configuration as a form."""

    @answers(configs.form_fields)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return every field with type, default, limits and help, and every plugin with its points and arguments."""
        return Response(configs.form_fields(self.cluster.emulates))


class GateTableView(SharedView):
    """The feature gates of a cluster's kube-scheduler."""

    @answers(feature_gates.list_gates)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return every gate of its version: stage, default, state, and effect in the playground."""
        return Response(feature_gates.list_gates(self.cluster.emulates))
