"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.upgrades import views

urlpatterns = [
    path(f"{CLUSTER}upgrade/", views.Upgrade.as_view()),
    path(f"{CLUSTER}upgrade/part/", views.UpgradePartView.as_view()),
]
