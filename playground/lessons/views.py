"""API views of lessons."""

from typing import Any

from django.http import Http404
from django.utils.translation import get_language
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from playground.api.base import ClusterView, respond, validate_data
from playground.api.forms import LanguageQuery
from playground.api.schema import answers
from playground.engine import cluster_states
from playground.lessons import selectors as lessons
from playground.lessons import services
from playground.lessons.forms import Prediction
from playground.models import LessonRun


def _language(request: Request) -> str:
    return str(validate_data(LanguageQuery, request.query_params).get("lang") or get_language() or "en")


class LessonList(APIView):
    """The lessons that ship."""

    @answers(list[lessons.LessonRow], parameters=[LanguageQuery])
    def get(self, request: Request) -> Response:
        """Return the lessons with your progress in your newest run of each."""
        return Response(lessons.list_lessons(request.user.pk or 0, _language(request)))


class LessonDetail(APIView):
    """One lesson."""

    @answers(lessons.LessonText, parameters=[LanguageQuery])
    def get(self, request: Request, slug: str) -> Response:
        """Return the text as HTML, step by step, with the checks of each step."""
        return respond(lessons.describe_lesson(slug, _language(request)))


class LessonStart(APIView):
    """The start of a lesson run."""

    @answers(cluster_states.ClusterAnswer, write=True, status=201, request=None, parameters=[LanguageQuery])
    def post(self, request: Request, slug: str) -> Response:
        """Create a cluster of your own in the lesson's initial state."""
        assert request.user.is_authenticated  # the view requires a login
        lesson, text = lessons.all_lessons().get(slug), lessons.describe_lesson(slug, _language(request))
        if lesson is None or text is None:
            raise Http404
        made = services.start_lesson(request.user, lesson, text["title"])
        return Response(cluster_states.read_state(made.pk), status=201)


class LessonRunView(ClusterView):
    """A view of the lesson run that a cluster was made for."""

    run: LessonRun

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        run = lessons.run_of(self.cluster.pk)
        if run is None:
            raise Http404
        self.run = run


class LessonProgress(LessonRunView):
    """The progress of a lesson run."""

    @answers(lessons.LessonRunAnswer)
    def get(self, request: Request, cluster_id: int) -> Response:
        """Return the checks that were started."""
        return respond(lessons.describe_progress(self.cluster.pk))


class LessonRestart(LessonRunView):
    """A new start of the lesson run."""

    @answers(lessons.LessonRunAnswer, write=True, status=202, request=None)
    def post(self, request: Request, cluster_id: int) -> Response:
        """Reset the cluster and all checks."""
        services.restart_lesson(self.run)
        return Response(lessons.describe_progress(self.cluster.pk), status=202)


class LessonBegin(LessonRunView):
    """The start of a check."""

    @answers(lessons.CheckAnswer, write=True, request=None)
    def post(self, request: Request, cluster_id: int, check: str) -> Response:
        """Start a check: a prediction, a task, or a wait for records. A second start changes nothing."""
        return Response(services.begin_prediction(self.run, check))


class LessonPredict(LessonRunView):
    """The answer to a prediction."""

    @answers(lessons.CheckAnswer, write=True, request=Prediction)
    def post(self, request: Request, cluster_id: int, check: str) -> Response:
        """Answer the prediction. A wrong answer gets a reason and another try before the right one is shown."""
        return Response(services.store_prediction(self.run, check, validate_data(Prediction, request.data)["chosen"]))


class LessonLook(LessonRunView):
    """The state of a wait or a task."""

    @answers(lessons.CheckAnswer, write=True, request=None)
    def post(self, request: Request, cluster_id: int, check: str) -> Response:
        """Check whether a wait or a task is done, and return what is missing."""
        return Response(services.check_task(self.run, check))
