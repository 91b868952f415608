"""Classes: a teacher shows a cluster, followers look on, answer, and take the moment along."""

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
from playground.api.base import valid
from playground.api.schema import WRITE, answers
from playground.classes import forks, questions, selectors, services
from playground.classes.forms import ClassAnswerForm, ClassChange, ClassFork, NewClass, NewQuestion
from playground.engine import cluster_states
from playground.models import Classroom, Cluster, Follower
from playground.problems import Refused, problem


class ClassList(APIView):
    """The classes that you teach or follow."""

    @answers(list[selectors.ClassState])
    def get(self, request: Request) -> Response:
        """Those that are open."""
        found = selectors.of_user(request.user.pk).select_related("pointer", "cluster")
        return Response([selectors.for_user(each, request.user.pk) for each in found])

    @answers(selectors.ClassState, write=True, status=201, request=NewClass)
    def post(self, request: Request) -> Response:
        """Open one with a cluster of yours; the one that you teach already shows that cluster from now on."""
        assert request.user.is_authenticated  # nobody else gets here
        made = services.begin(request.user, _own(request, valid(NewClass, request.data)["cluster"]))
        if settings.LOCAL:
            request.session[TEACHES] = True
        return Response(selectors.for_user(made, request.user.pk), status=201)


class ClassView(APIView):
    """A view of an open class that the user is in; any other is not there."""

    classroom: Classroom

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        of_user = selectors.of_user(request.user.pk).select_related("pointer", "cluster")
        found = of_user.filter(pk=kwargs["class_id"]).first()
        if found is None:
            raise Http404
        self.classroom = found

    def must_teach(self, request: Request) -> None:
        """What only the teacher may do is not there for followers."""
        if self.classroom.teacher_id != request.user.pk:
            raise Http404

    def follower(self, request: Request) -> Follower:
        found = selectors.follower_of(self.classroom, request.user.pk)
        if found is None:
            raise Refused([problem("", say("is for followers, and you teach this class"))], 409)
        return found

    def shown(self, request: Request, status: int = 200) -> Response:
        self.classroom.refresh_from_db()
        return Response(selectors.for_user(self.classroom, request.user.pk), status=status)


class ClassDetail(ClassView):
    """One class."""

    @answers(selectors.ClassState)
    def get(self, request: Request, class_id: int) -> Response:
        """As you see it."""
        return self.shown(request)

    @answers(selectors.ClassState, write=True, request=ClassChange)
    def patch(self, request: Request, class_id: int) -> Response:
        """Lock or unlock it, hand over the pointer, show another cluster of yours."""
        self.must_teach(request)
        wanted = valid(ClassChange, request.data)
        if "cluster" in wanted:
            wanted["cluster"] = _own(request, wanted["cluster"])
        if wanted.get("pointer") is not None:
            wanted["pointer"] = self._follower(wanted["pointer"])
        services.change(self.classroom, **wanted)
        return self.shown(request)

    @answers(None, write=True, status=204)
    def delete(self, request: Request, class_id: int) -> Response:
        """End it, for everybody."""
        self.must_teach(request)
        services.end(self.classroom)
        return Response(status=204)

    def _follower(self, number: int) -> Follower:
        found = Follower.objects.filter(classroom=self.classroom, pk=number, left=False).first()
        if found is None:
            raise Refused([problem("pointer", say("there is no such follower in this class"), number)], 404)
        return found


class FollowerDetail(ClassView):
    """One follower."""

    @answers(None, write=True, status=204)
    def delete(self, request: Request, class_id: int, follower: int) -> Response:
        """Take them out of the class."""
        self.must_teach(request)
        found = Follower.objects.filter(classroom=self.classroom, pk=follower).first()
        if found is None:
            raise Http404
        services.leave(found, barred=True)
        return Response(status=204)


class Leave(ClassView):
    """The way out."""

    @answers(None, write=True, status=204, request=None)
    def post(self, request: Request, class_id: int) -> Response:
        """Follow no more."""
        services.leave(self.follower(request))
        if settings.LOCAL and request.session.get(IS_GUEST):
            # This browser is the local user's again.
            logout(request)
        return Response(status=204)


class QuestionList(ClassView):
    """What the class is asked."""

    @answers(selectors.ClassState, write=True, status=201, errors=(*WRITE, 410), request=NewQuestion)
    def post(self, request: Request, class_id: int) -> Response:
        """Ask; the engine works out the options and the right answer. The question before it is closed."""
        self.must_teach(request)
        questions.ask(self.classroom, valid(NewQuestion, request.data))
        return self.shown(request, 201)


class QuestionClose(ClassView):
    """That was it."""

    @answers(selectors.ClassState, write=True, request=None)
    def post(self, request: Request, class_id: int) -> Response:
        """No more answers; everybody sees the right one, and how many gave which."""
        self.must_teach(request)
        questions.close(self.classroom)
        return self.shown(request)


class QuestionAnswer(ClassView):
    """A follower's answer."""

    @answers(selectors.ClassState, write=True, request=ClassAnswerForm)
    def post(self, request: Request, class_id: int, number: int) -> Response:
        """Say what you think; until the question is closed it can be changed."""
        chosen = valid(ClassAnswerForm, request.data)["chosen"]
        questions.answer(self.classroom, self.follower(request), number, chosen)
        return self.shown(request)


class Fork(ClassView):
    """The moment, to take along."""

    @answers(cluster_states.ClusterAnswer, write=True, status=201, errors=(*WRITE, 410), request=ClassFork)
    def post(self, request: Request, class_id: int) -> Response:
        """A cluster of your own that is where the class's was, with the history that led there."""
        follower = self.follower(request)
        made = forks.fork(self.classroom, follower.user, valid(ClassFork, request.data)["at"])
        return Response(cluster_states.state(made.pk), status=201)


def _own(request: Request, number: int) -> Cluster:
    found = readers.owned(request.user).filter(pk=number).first()
    if found is None:
        raise Refused([problem("cluster", say("is no cluster of yours"), number)], 404)
    return found
