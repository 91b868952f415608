"""API views of classes."""

from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from kube_objects.sentences import say
from playground.access import readers
from playground.accounts.guests import IS_GUEST, TEACHES
from playground.api.base import validate_data
from playground.api.schema import WRITE, answers
from playground.classes import class_questions, forks, selectors, services
from playground.classes.forms import ClassAnswerForm, ClassChange, ClassFork, NewClass, NewQuestion
from playground.engine import cluster_states
from playground.models import Classroom, Cluster, Follower
from playground.problems import Refused, problem


class ClassList(APIView):
    """The classes that you teach or follow."""

    @answers(list[selectors.ClassState])
    def get(self, request: Request) -> Response:
        """Return the open classes that you teach or follow."""
        classrooms = selectors.classes_of_user(request.user.pk).select_related("pointer", "cluster")
        return Response([selectors.describe_for_user(each, request.user.pk) for each in classrooms])

    @answers(selectors.ClassState, write=True, status=201, request=NewClass)
    def post(self, request: Request) -> Response:
        """Open a class with a cluster of yours. If you already teach a class, it shows this cluster from now on."""
        assert request.user.is_authenticated  # the view requires a login
        made = services.open_class(
            request.user, _find_own_cluster(request, validate_data(NewClass, request.data)["cluster"])
        )
        if settings.LOCAL:
            request.session[TEACHES] = True
        return Response(selectors.describe_for_user(made, request.user.pk), status=201)


class ClassView(APIView):
    """A view of an open class that the user is in; the response is 404 for any other class."""

    classroom: Classroom

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        of_user = selectors.classes_of_user(request.user.pk).select_related("pointer", "cluster")
        found = of_user.filter(pk=kwargs["class_id"]).first()
        if found is None:
            raise Http404
        self.classroom = found

    def must_teach(self, request: Request) -> None:
        """Raise Http404 unless the user teaches the class."""
        if self.classroom.teacher_id != request.user.pk:
            raise Http404

    def follower(self, request: Request) -> Follower:
        member = selectors.follower_of(self.classroom, request.user.pk)
        if member is None:
            raise Refused([problem("", say("is for followers, and you teach this class"))], 409)
        return member

    def respond_with_class(self, request: Request, status: int = 200) -> Response:
        self.classroom.refresh_from_db()
        return Response(selectors.describe_for_user(self.classroom, request.user.pk), status=status)


class ClassDetail(ClassView):
    """One class."""

    @answers(selectors.ClassState)
    def get(self, request: Request, class_id: int) -> Response:
        """Return the class as you see it."""
        return self.respond_with_class(request)

    @answers(selectors.ClassState, write=True, request=ClassChange)
    def patch(self, request: Request, class_id: int) -> Response:
        """Lock or unlock the class, hand over the pointer, or show another cluster of yours."""
        self.must_teach(request)
        wanted = validate_data(ClassChange, request.data)
        if "cluster" in wanted:
            wanted["cluster"] = _find_own_cluster(request, wanted["cluster"])
        if wanted.get("pointer") is not None:
            wanted["pointer"] = self._follower(wanted["pointer"])
        services.change_class(self.classroom, **wanted)
        return self.respond_with_class(request)

    @answers(None, write=True, status=204)
    def delete(self, request: Request, class_id: int) -> Response:
        """End the class for everybody."""
        self.must_teach(request)
        services.end_class(self.classroom)
        return Response(status=204)

    def _follower(self, number: int) -> Follower:
        found = Follower.objects.filter(classroom=self.classroom, pk=number, left=False).first()
        if found is None:
            raise Refused([problem("pointer", say("no such follower in this class"), number)], 404)
        return found


class FollowerDetail(ClassView):
    """One follower."""

    @answers(None, write=True, status=204)
    def delete(self, request: Request, class_id: int, follower: int) -> Response:
        """Remove the follower from the class."""
        self.must_teach(request)
        member = Follower.objects.filter(classroom=self.classroom, pk=follower).first()
        if member is None:
            raise Http404
        services.leave_class(member, barred=True)
        return Response(status=204)


class Leave(ClassView):
    """The end of a follower's membership."""

    @answers(None, write=True, status=204, request=None)
    def post(self, request: Request, class_id: int) -> Response:
        """Leave the class."""
        services.leave_class(self.follower(request))
        if settings.LOCAL and request.session.get(IS_GUEST):
            # From now on the browser belongs to the local user again.
            logout(request)
        return Response(status=204)


class QuestionList(ClassView):
    """The questions to a class."""

    @answers(selectors.ClassState, write=True, status=201, errors=(*WRITE, 410), request=NewQuestion)
    def post(self, request: Request, class_id: int) -> Response:
        """Ask a question. The engine computes the options and the right answer. The question before it is closed."""
        self.must_teach(request)
        class_questions.open_question(self.classroom, validate_data(NewQuestion, request.data))
        return self.respond_with_class(request, 201)


class QuestionClose(ClassView):
    """The end of the open question."""

    @answers(selectors.ClassState, write=True, request=None)
    def post(self, request: Request, class_id: int) -> Response:
        """Close the question. Everybody sees the right answer and how often each option was chosen."""
        self.must_teach(request)
        class_questions.close_question(self.classroom)
        return self.respond_with_class(request)


class QuestionAnswer(ClassView):
    """A follower's answer."""

    @answers(selectors.ClassState, write=True, request=ClassAnswerForm)
    def post(self, request: Request, class_id: int, number: int) -> Response:
        """Answer the question; until it is closed you can change your answer."""
        chosen = validate_data(ClassAnswerForm, request.data)["chosen"]
        class_questions.store_answer(self.classroom, self.follower(request), number, chosen)
        return self.respond_with_class(request)


class ForkView(ClassView):
    """A copy of the class's cluster for a follower."""

    @answers(cluster_states.ClusterAnswer, write=True, status=201, errors=(*WRITE, 410), request=ClassFork)
    def post(self, request: Request, class_id: int) -> Response:
        """Create a cluster of your own in the state of the class's cluster, with the history that led there."""
        follower = self.follower(request)
        made = forks.fork_class_cluster(self.classroom, follower.user, validate_data(ClassFork, request.data)["at"])
        return Response(cluster_states.read_state(made.pk), status=201)


def _find_own_cluster(request: Request, number: int) -> Cluster:
    found = readers.select_owned(request.user).filter(pk=number).first()
    if found is None:
        raise Refused([problem("cluster", say("is not one of your clusters"), number)], 404)
    return found
