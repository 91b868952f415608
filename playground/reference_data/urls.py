"""URL patterns of this package, below /api/."""

from django.urls import path

from playground.reference_data import views

urlpatterns = [
    path("v1/examples/", views.ExampleList.as_view()),
    path("v1/kinds/", views.KindTable.as_view()),
    path("v1/breakpoints/", views.BreakpointSchema.as_view()),
    path("v1/conformance/", views.ConformanceTable.as_view()),
]
