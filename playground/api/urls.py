"""The addresses of the API, below /api/: each package lists its own."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from playground.api.docs import Docs

PACKAGES = (
    "reference_data",
    "branches",
    "capacity",
    "classes",
    "clusters",
    "comparisons",
    "configs",
    "exchange",
    "explanations",
    "history",
    "lessons",
    "objects",
    "repairs",
    "shares",
    "upgrades",
    "workloads",
)

urlpatterns = [
    *(path("", include(f"playground.{name}.urls")) for name in PACKAGES),
    path("", include("playground.kubernetes.api_urls")),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", Docs.as_view(), name="docs"),
]
