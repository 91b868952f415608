"""A Transport that answers from Python, and a simulation whose extenders use it."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from scheduler_core.config.types import ExtenderTLSConfig
from scheduler_core.extender import HTTPExtender, Response, TransportError, build_extenders
from simulator.simulation import Simulation
from tests.config_v1_34 import load

URL = "http://ext:8888"
Json = dict[str, Any]
# What a path answers: a JSON value, bytes as they are, a Response, an error, or a function of the request.
Answer = Any


class Answers:
    """A scripted Transport. `requests` are the received calls, as (URL, JSON, seconds, TLS options)."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self.answers = dict(answers)
        self.requests: list[tuple[str, Any, float, ExtenderTLSConfig | None]] = []

    def post(self, url: str, body: bytes, timeout_seconds: float, tls: ExtenderTLSConfig | None) -> Response:
        request = json.loads(body)
        self.requests.append((url, request, timeout_seconds, tls))
        answer = self.answers[url.rpartition("/")[2]]
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            answer = answer(request)
        if isinstance(answer, TransportError):
            raise answer
        if isinstance(answer, Response):
            return answer
        return Response(200, answer if isinstance(answer, bytes) else json.dumps(answer).encode())

    @property
    def called(self) -> list[str]:
        return [url.rpartition("/")[2] for url, *_ in self.requests]


def configuration(*extenders: str, profiles: str = "- {}") -> str:
    """Return a configuration; each extender is given as the fields of a YAML flow mapping."""
    entries = "\n".join(f"- {{urlPrefix: '{URL}', {fields}}}" for fields in extenders)
    return (
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        f"extenders:\n{entries}\nprofiles:\n{profiles}\n"
    )


def extender(fields: str, answers: Mapping[str, Answer] | None = None) -> tuple[HTTPExtender, Answers]:
    transport = Answers(answers or {})
    return build_extenders(load(configuration(fields)), transport)[0], transport


def simulation(config: str, transport: Answers, seed: int = 1) -> Simulation:
    return Simulation.create(seed=seed, config=config, make_extenders=lambda config: build_extenders(config, transport))


def host_scores(**scores: int) -> Callable[[Json], list[Json]]:
    return lambda request: [{"Host": name, "Score": score} for name, score in scores.items()]
