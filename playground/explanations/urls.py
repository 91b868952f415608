"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER, CYCLE
from playground.explanations import device_views, views

urlpatterns = [
    path(f"{CYCLE}reasons/", views.ReasonTree.as_view()),
    path(f"{CYCLE}nodes/<name:name>/", views.WhyNode.as_view()),
    path(f"{CYCLE}nodes/<name:name>/ledger/", views.Ledger.as_view()),
    path(f"{CYCLE}compare/", views.Compare.as_view()),
    path(f"{CYCLE}claims/", device_views.Claims.as_view()),
    path(f"{CYCLE}nodes/<name:name>/claims/", device_views.Allocation.as_view()),
    path(f"{CYCLE}spread/", views.Spread.as_view()),
    path(f"{CYCLE}spread/<number:index>/pods/", views.SpreadPods.as_view()),
    path(f"{CYCLE}preemption/", views.Preemption.as_view()),
    path(f"{CYCLE}timings/", views.Timings.as_view()),
    path(f"{CLUSTER}devices/", device_views.DeviceList.as_view()),
    path(f"{CLUSTER}nodes/<name:name>/devices/", device_views.NodeDevices.as_view()),
    path(f"{CLUSTER}groups/<name:namespace>/<name:name>/", views.WhyGroup.as_view()),
    path("v1/explain/decode/", views.Decode.as_view()),
    path("v1/explain/glossary/", views.Glossary.as_view()),
    path("v1/explain/plain/", views.Plain.as_view()),
]
