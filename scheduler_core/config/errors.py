"""A configuration that kube-scheduler refuses."""

from collections.abc import Sequence

from kube_objects.text.problems import Problem


class ConfigError(Exception):
    """A configuration that kube-scheduler refuses.

    `stage` is decode, validate, build, or panic where the real kube-scheduler crashes while building. `problems` has an
    entry for everything that is wrong; `texts` are upstream's messages, which may say several problems in one.
    """

    def __init__(self, stage: str, problems: Sequence[Problem], texts: Sequence[str] | None = None) -> None:
        self.stage = stage
        self.problems = list(problems)
        self.texts = list(texts) if texts is not None else [problem.upstream for problem in problems]
        super().__init__("\n".join(self.texts))


class BuildError(ValueError):
    """A profile or plugin that cannot be built; the text is upstream's. `path` is the field within the profile."""

    stage = "build"

    def __init__(self, message: str, path: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.path = path
        self.hint = hint


class BuildPanicError(BuildError):
    """Here the real kube-scheduler crashes; we report it as an error."""

    stage = "panic"

    def __init__(self, path: str, hint: str) -> None:
        super().__init__("panic: runtime error: invalid memory address or nil pointer dereference", path, hint)
