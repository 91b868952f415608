"""The addresses of this package, below /api/."""

from django.urls import path

from playground.api.paths import CLUSTER
from playground.lessons import views

urlpatterns = [
    path(f"{CLUSTER}lesson/", views.LessonProgress.as_view()),
    path(f"{CLUSTER}lesson/restart/", views.LessonRestart.as_view()),
    path(f"{CLUSTER}lesson/checks/<name:check>/begin/", views.LessonBegin.as_view()),
    path(f"{CLUSTER}lesson/checks/<name:check>/predict/", views.LessonPredict.as_view()),
    path(f"{CLUSTER}lesson/checks/<name:check>/look/", views.LessonLook.as_view()),
    path("v1/lessons/", views.LessonList.as_view()),
    path("v1/lessons/<name:slug>/", views.LessonDetail.as_view()),
    path("v1/lessons/<name:slug>/start/", views.LessonStart.as_view()),
]
