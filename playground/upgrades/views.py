"""What an upgrade of kube-scheduler would change."""

from django.http import HttpResponse
from rest_framework.request import Request

from playground.api.base import ClusterView, raw_json, valid
from playground.api.schema import EXPLAINED, answers
from playground.questions.asking import ask
from playground.upgrades.forms import UpgradeQuery
from scheduler_core.upgrade.report import UpgradeReport


class Upgrade(ClusterView):
    """The same pods under another version."""

    @answers(UpgradeReport, errors=EXPLAINED, parameters=[UpgradeQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Every difference (node, verdict, score, message, configuration) under the change that makes it."""
        asked = valid(UpgradeQuery, request.query_params)
        return raw_json(ask(self.cluster.owner_id, "upgrade", self.cluster.pk, None, **asked))
