"""Errors for configurations that kube-scheduler rejects."""

from collections.abc import Sequence

from kube_objects.text.problems import Problem


class ConfigError(Exception):
    """Raised for a configuration that kube-scheduler rejects.

    `stage` is decode, validate, build, or panic if the real kube-scheduler crashes. `problems` has an entry for each
    problem; `texts` are upstream's messages, of which one may cover several problems.
    """

    def __init__(self, stage: str, problems: Sequence[Problem], texts: Sequence[str] | None = None) -> None:
        self.stage = stage
        self.problems = list(problems)
        self.texts = list(texts) if texts is not None else [problem.upstream for problem in problems]
        super().__init__("\n".join(self.texts))


class BuildError(ValueError):
    """Raised if a profile or plugin can't be built; the message is upstream's.

    `path` is the field within the profile.
    """

    stage = "build"

    def __init__(self, message: str, path: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.path = path
        self.hint = hint


class BuildPanicError(BuildError):
    """Raised where the real kube-scheduler crashes."""

    stage = "panic"

    def __init__(self, path: str, hint: str) -> None:
        super().__init__("panic: runtime error: invalid memory address or nil pointer dereference", path, hint)
