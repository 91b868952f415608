"""However much one user asks for, others wait for one turn of it: with real workers, on the real broker."""

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connections

from playground.clusters import commands
from playground.engine import fairness, leases, waiting_clusters
from playground.models import Cluster
from playground.question_worker import answer_question, question_table
from playground.questions.ask_worker import ask_question
from tests.services import wait_for
from tests.web import Api, node, pod


def clusters_of(user: Any, number: int) -> list[int]:
    """Clusters with a command that waits for a worker."""
    made = [Cluster.objects.create(owner=user, name=f"{user}-{i}").pk for i in range(number)]
    for pk in made:
        commands.submit(pk, {"kind": "seed", "seed": 1})
    return made


def test_workers_come_to_everybody(make_user: Callable[[str], Any]) -> None:
    cache.clear()
    greedy, modest = clusters_of(make_user("greedy"), 8), clusters_of(make_user("modest"), 1)
    first = fairness.choose_cluster(greedy[3])
    assert first == greedy[3]
    lease = leases.acquire(first, "worker-1")
    assert lease is not None
    # Whatever it was woken for: somebody has a worker already, and somebody has none.
    assert fairness.choose_cluster(greedy[4]) == modest[0]
    other = leases.acquire(modest[0], "worker-2")
    assert other is not None
    # No user has more than one; a third worker leaves the rest alone.
    assert fairness.choose_cluster(greedy[4]) is None
    leases.release(lease)
    fairness.record_turn_end(first)
    assert fairness.choose_cluster(modest[0]) in greedy
    leases.release(other)
    # Both had a turn, the greedy one's longer ago.
    fairness.record_turn_end(modest[0])
    assert fairness.choose_next_cluster() in greedy
    fairness.record_turn_end(greedy[0])
    assert fairness.choose_next_cluster() == modest[0]


def test_the_only_user_of_a_machine_has_all_workers(api: Api) -> None:
    made = [api.cluster() for _ in range(3)]
    for pk in made:
        commands.submit(pk, {"kind": "seed", "seed": 1})
        assert leases.acquire(pk, "worker") is not None
    assert waiting_clusters.count_clusters_at_work().total() == 3
    assert fairness.choose_cluster(made[2]) == made[2]


def test_questions_take_turns(
    make_user: Callable[[str], Any], questions: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    greedy, modest = make_user("greedy"), make_user("modest")
    shown = Api(greedy).cluster([node("n"), pod("p")])
    order: list[str] = []
    begun, may_end = threading.Event(), threading.Event()

    def slow(moment: Any, arguments: Any) -> Any:
        order.append(arguments["who"])
        begun.set()
        assert may_end.wait(30)
        return len(order)

    monkeypatch.setattr(answer_question, "QUESTIONS", {**question_table.QUESTIONS, "slow": slow})
    answers: list[Any] = []

    def asked(user: Any, who: str) -> threading.Thread:
        def run() -> None:
            answers.append(json.loads(ask_question(user.pk, "slow", shown, None, who=who)))
            connections.close_all()

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    threads = [asked(greedy, "greedy")]
    assert begun.wait(30)
    threads += [asked(greedy, "greedy") for _ in range(5)]
    wait_for(lambda: in_line(greedy) == 5, "five questions in the line", 30)
    threads.append(asked(modest, "modest"))
    wait_for(lambda: in_line(modest) == 1, "the sixth", 30)
    may_end.set()
    for thread in threads:
        thread.join()
    assert order == ["greedy", "modest", *["greedy"] * 5]
    assert sorted(answers) == [1, 2, 3, 4, 5, 6, 7]


def in_line(user: Any) -> int:
    import redis
    from django.conf import settings

    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        length: Any = broker.llen(f"{settings.NAMESPACE}-questions-turns-{user.pk}")
        return int(length)
