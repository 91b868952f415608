"""Lessons: the list, the text, and a walk through one of them."""

from typing import Any

from django.http import Http404
from django.utils.translation import get_language
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from playground.api.base import ClusterView, found, valid
from playground.api.forms import LanguageQuery
from playground.api.schema import answers
from playground.engine import cluster_states
from playground.lessons import selectors as lessons
from playground.lessons import services
from playground.lessons.forms import Prediction
from playground.models import LessonRun


def _language(request: Request) -> str:
    return str(valid(LanguageQuery, request.query_params).get("lang") or get_language() or "en")


class LessonList(APIView):
    """The lessons that ship."""

    @answers(list[lessons.LessonRow], parameters=[LanguageQuery])
    def get(self, request: Request) -> Response:
        """Each with how far you are in your newest walk through it."""
        return Response(lessons.listed(request.user.pk or 0, _language(request)))


class LessonDetail(APIView):
    """One lesson."""

    @answers(lessons.LessonText, parameters=[LanguageQuery])
    def get(self, request: Request, slug: str) -> Response:
        """Its text, step by step, as HTML, with what the steps ask for."""
        return found(lessons.whole(slug, _language(request)))


class LessonStart(APIView):
    """Begin a walk."""

    @answers(cluster_states.ClusterAnswer, write=True, status=201, request=None, parameters=[LanguageQuery])
    def post(self, request: Request, slug: str) -> Response:
        """A cluster of your own, as the lesson begins with it."""
        assert request.user.is_authenticated  # nobody else gets here
        lesson, text = lessons.all_lessons().get(slug), lessons.whole(slug, _language(request))
        if lesson is None or text is None:
            raise Http404
        made = services.start(request.user, lesson, text["title"])
        return Response(cluster_states.state(made.pk), status=201)


class LessonRunView(ClusterView):
    """A view of the walk for which a cluster was made."""

    run: LessonRun

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        run = lessons.run_of(self.cluster.pk)
        if run is None:
            raise Http404
        self.run = run


class LessonProgress(LessonRunView):
    """How far the walk is."""

    @answers(lessons.LessonRunAnswer)
    def get(self, request: Request, cluster_id: int) -> Response:
        """The checks that were begun."""
        return found(lessons.progress(self.cluster.pk))


class LessonRestart(LessonRunView):
    """Once more."""

    @answers(lessons.LessonRunAnswer, write=True, status=202, request=None)
    def post(self, request: Request, cluster_id: int) -> Response:
        """The cluster goes back to its beginning, and nothing is done yet."""
        services.restart(self.run)
        return Response(lessons.progress(self.cluster.pk), status=202)


class LessonBegin(LessonRunView):
    """A step was reached."""

    @answers(lessons.CheckAnswer, write=True, request=None)
    def post(self, request: Request, cluster_id: int, check: str) -> Response:
        """Begin a check: a prediction is asked, a task is set, records are waited for. Once is enough."""
        return Response(services.begin(self.run, check))


class LessonPredict(LessonRunView):
    """A prediction."""

    @answers(lessons.CheckAnswer, write=True, request=Prediction)
    def post(self, request: Request, cluster_id: int, check: str) -> Response:
        """Answer it. A wrong answer is told why, and may be tried again before the right one is told."""
        return Response(services.predict(self.run, check, valid(Prediction, request.data)["chosen"]))


class LessonLook(LessonRunView):
    """Is it done?"""

    @answers(lessons.CheckAnswer, write=True, request=None)
    def post(self, request: Request, cluster_id: int, check: str) -> Response:
        """Look whether a wait or a task is fulfilled; with what is missing."""
        return Response(services.look(self.run, check))
