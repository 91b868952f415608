"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLASS
from playground.classes import views

urlpatterns = [
    path("v1/classes/", views.ClassList.as_view()),
    path(CLASS, views.ClassDetail.as_view()),
    path(f"{CLASS}followers/<number:follower>/", views.FollowerDetail.as_view()),
    path(f"{CLASS}leave/", views.Leave.as_view()),
    path(f"{CLASS}questions/", views.QuestionList.as_view()),
    path(f"{CLASS}questions/close/", views.QuestionClose.as_view()),
    path(f"{CLASS}questions/<number:number>/answer/", views.QuestionAnswer.as_view()),
    path(f"{CLASS}fork/", views.ForkView.as_view()),
]
