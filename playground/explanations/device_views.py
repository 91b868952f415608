"""API views of Nodes' devices, and of the ResourceClaims of a cycle's Pod."""

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import validate_data
from playground.api.forms import CycleQuery, NodeNamesQuery
from playground.api.schema import EXPLAINED, answers
from playground.explanations import explanation_questions
from playground.explanations.views import CycleView, MomentView
from playground.models import ClusterObject


class _Inventory(MomentView):
    """A view that asks the worker only if the cluster has ResourceSlices, because most have none."""

    @property
    def has_devices(self) -> bool:
        return ClusterObject.objects.filter(cluster=self.cluster, kind="ResourceSlice").exists()


class DeviceList(_Inventory):
    """A summary of the devices of several Nodes."""

    @answers(explanation_questions.devices, errors=EXPLAINED, parameters=[NodeNamesQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """Return the devices now, or as `cycle` found them; Nodes without devices are left out."""
        query = validate_data(NodeNamesQuery, request.query_params)
        if not self.has_devices:
            return Response({"nodes": []})
        return self.ask("devices", query.get("cycle"), nodes=query["nodes"])


class NodeDevices(_Inventory):
    """All devices of one node."""

    @answers(explanation_questions.node_devices, errors=EXPLAINED, parameters=[CycleQuery])
    def get(self, request: Request, cluster_id: int, name: str) -> HttpResponse:
        """Return attributes, capacity, taints, claims and Pods of the devices, now or as `cycle` found them."""
        query = validate_data(CycleQuery, request.query_params)
        if not self.has_devices:
            return Response({"node": name, "pools": [], "omitted": 0})
        return self.ask("node_devices", query.get("cycle"), node=name)


class Claims(CycleView):
    """The Pod's claims, and the Nodes that could satisfy them."""

    @answers(explanation_questions.claims, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """Return the claims as the cycle found them, and their results on the Nodes that were visited first."""
        return self.ask(request, "claims", number)


class Allocation(CycleView):
    """The devices of a Node that the allocator tried, and why it rejected them."""

    @answers(explanation_questions.allocation, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int, name: str) -> HttpResponse:
        """Return the structured allocator's search on one Node, step by step."""
        return self.ask(request, "allocation", number, node=name)
