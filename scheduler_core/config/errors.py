"""What is wrong with a configuration: problems by path, and the texts that kube-scheduler prints for them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong. `str()` is upstream's text; `hint` is ours, "" if there is nothing to add.

    `path` is the field (`profiles[0].plugins.score.enabled[1]`), "" for the whole document; `line` counts from 1.
    """

    path: str
    message: str
    line: int | None = None
    hint: str = ""
    text: str = ""
    """Upstream's text where it is not `path: message`."""

    def __str__(self) -> str:
        return self.text or f"{self.path}: {self.message}"


class ConfigError(Exception):
    """A configuration that kube-scheduler refuses.

    `stage` is decode, validate, build, or panic where the real kube-scheduler crashes while building. `problems` has an
    entry for everything that is wrong; `texts` are upstream's messages, which may say several problems in one.
    """

    def __init__(self, stage: str, problems: Sequence[Problem], texts: Sequence[str] | None = None) -> None:
        self.stage = stage
        self.problems = list(problems)
        self.texts = list(texts) if texts is not None else [str(problem) for problem in problems]
        super().__init__("\n".join(self.texts))
