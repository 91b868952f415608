"""API views of upgrades."""

import json
import time

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from kube_objects.sentences import say
from playground.api.base import ClusterView, raw_json, validate_data
from playground.api.schema import EXPLAINED, answers
from playground.limits import ANSWER_SECONDS
from playground.problems import Refused, problem
from playground.questions.ask_worker import UNAVAILABLE, ask_question
from playground.upgrades.forms import UpgradePartQuery, UpgradeQuery
from playground.upgrades.upgrade_questions import UpgradePart
from simulator.upgrade.report import UpgradeReport


class Upgrade(ClusterView):
    """The same Pods under another version."""

    @answers(UpgradeReport, errors=EXPLAINED, parameters=[UpgradeQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return every difference (Node, verdict, score, message, configuration) by the change that causes it."""
        form = validate_data(UpgradeQuery, request.query_params)
        # In parts, so that the worker can answer other users in between.
        revision, until = None, time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < until:
            answer = ask_question(
                self.cluster.owner_id, "upgrade_part", self.cluster.pk, None, revision=revision, **form
            )
            part = json.loads(answer)
            if part["finished"]:
                return Response(part["report"])
            revision = part["revision"]
        rule = say("working out the answer takes longer than {n} s", n=ANSWER_SECONDS)
        raise Refused([problem("", rule, hint=say("ask for a part of it, at upgrade/part/"))], UNAVAILABLE)


class UpgradePartView(ClusterView):
    """The report in progress."""

    @answers(UpgradePart, errors=EXPLAINED, parameters=[UpgradePartQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Continue the report with this `revision`, or start one. Stop asking to cancel."""
        form = validate_data(UpgradePartQuery, request.query_params)
        form.setdefault("revision", None)
        return raw_json(ask_question(self.cluster.owner_id, "upgrade_part", self.cluster.pk, None, **form))
