"""What an upgrade of kube-scheduler would change."""

from django.http import HttpResponse
from rest_framework.request import Request

from playground.api.base import ClusterView, raw_json, valid
from playground.api.schema import EXPLAINED, answers
from playground.questions.asking import ask
from playground.upgrades.forms import UpgradePartQuery, UpgradeQuery
from playground.upgrades.questions import UpgradePart
from scheduler_core.upgrade.report import UpgradeReport


class Upgrade(ClusterView):
    """The same pods under another version."""

    @answers(UpgradeReport, errors=EXPLAINED, parameters=[UpgradeQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Every difference (node, verdict, score, message, configuration) under the change that makes it."""
        form = valid(UpgradeQuery, request.query_params)
        return raw_json(ask(self.cluster.owner_id, "upgrade", self.cluster.pk, None, **form))


class UpgradePartView(ClusterView):
    """The report as far as it is."""

    @answers(UpgradePart, errors=EXPLAINED, parameters=[UpgradePartQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """A while's work on it. Asked with its `revision` it goes on; who asks no more cancels it."""
        form = valid(UpgradePartQuery, request.query_params)
        form.setdefault("revision", None)
        return raw_json(ask(self.cluster.owner_id, "upgrade_part", self.cluster.pk, None, **form))
