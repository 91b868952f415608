"""Devices of nodes, and the claims of a cycle's pod: what the engine has to say about them."""

from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from playground.api.base import valid
from playground.api.forms import CycleQuery, PlacedQuery
from playground.api.schema import EXPLAINED, answers
from playground.explanations import questions
from playground.explanations.views import CycleView, MomentView
from playground.models import ClusterObject


class _Inventory(MomentView):
    """The worker is asked only where there are devices: most clusters have none."""

    @property
    def has_devices(self) -> bool:
        return ClusterObject.objects.filter(cluster=self.cluster, kind="ResourceSlice").exists()


class DeviceList(_Inventory):
    """The devices of several nodes, in short."""

    @answers(questions.devices, errors=EXPLAINED, parameters=[PlacedQuery])
    def get(self, request: Request, cluster_id: int) -> HttpResponse:
        """As they are, or as `cycle` found them; nodes without devices are left out."""
        query = valid(PlacedQuery, request.query_params)
        if not self.has_devices:
            return Response({"nodes": []})
        return self.ask("devices", query.get("cycle"), nodes=query["nodes"])


class NodeDevices(_Inventory):
    """All devices of one node."""

    @answers(questions.node_devices, errors=EXPLAINED, parameters=[CycleQuery])
    def get(self, request: Request, cluster_id: int, name: str) -> HttpResponse:
        """With attributes, capacity, taints, and the claims and pods that have them; now, or as `cycle` found them."""
        query = valid(CycleQuery, request.query_params)
        if not self.has_devices:
            return Response({"node": name, "pools": [], "omitted": 0})
        return self.ask("node_devices", query.get("cycle"), node=name)


class Claims(CycleView):
    """What do the pod's claims ask for, and which nodes could have given it?"""

    @answers(questions.claims, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int) -> HttpResponse:
        """The claims as the cycle met them, and what became of them on the nodes that were visited first."""
        return self.ask(request, "claims", number)


class Allocation(CycleView):
    """Which devices of this node were looked at, and why was each refused?"""

    @answers(questions.allocation, errors=EXPLAINED)
    def get(self, request: Request, cluster_id: int, number: int, name: str) -> HttpResponse:
        """The structured allocator's search on one node, step by step."""
        return self.ask(request, "allocation", number, node=name)
