"""Codec: decode a YAML or JSON text strictly into a SchedulerConfiguration with defaults.

Source: cmd/kube-scheduler/app/options/configfile.go, apimachinery/pkg/runtime/serializer (json, recognizer,
versioning), kube-scheduler/config/v1/types.go DecodeNestedObjects.
"""

from dataclasses import dataclass
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.errors import JSONError, LimitError, TextError
from kube_objects.text.go import quote
from kube_objects.text.hints import did_you_mean
from kube_objects.text.node import TextNode, compact, null_node, sorted_keys
from kube_objects.text.problems import Problem
from kube_objects.text.read import source
from scheduler_core.config.args.raw import RawArgs
from scheduler_core.config.counts import check_counts
from scheduler_core.config.decode import DecodeError, Decoder
from scheduler_core.config.defaults import complete, construct
from scheduler_core.config.errors import ConfigError
from scheduler_core.config.limits import LIMITS, MAX_BYTES
from scheduler_core.config.rules import ConfigRules, Scheme, TypeMeta
from scheduler_core.config.types import KIND, PluginArgs, SchedulerConfiguration

_META_TYPE = r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'


@dataclass(slots=True)
class Document:
    """A decoded configuration and its parsed text; `root` gives the line of a path."""

    config: SchedulerConfiguration
    root: TextNode


class FatalError(Exception):
    """Raised if decoding can't continue; `problem.text` is upstream's message."""

    def __init__(self, text: str, path: str = "", line: int | None = None, hint: str = "") -> None:
        super().__init__(text)
        self.problem = Problem(path, None, text, hint, line=line, text=text)


def decode(text: str, rules: ConfigRules) -> Document:
    """Decode and default a text without validating it. Raises ConfigError of stage decode."""
    try:
        root, values = Codec(text, rules.scheme).decode(KIND)
    except FatalError as fatal:
        raise ConfigError("decode", [fatal.problem]) from None
    return Document(complete(values, rules), root)


class Codec:
    """A decoder of one text; raises FatalError, or ConfigError of stage decode for unknown and duplicate fields."""

    def __init__(self, text: str, scheme: Scheme) -> None:
        self.text = text
        self.scheme = scheme
        self.strict: list[Problem] = []
        self.strict_texts: list[str] = []
        self.nested_strict = ""

    def decode(self, kind: str) -> tuple[TextNode, dict[str, Any]]:
        """Return the parsed text, and its fields by JSON name with typed plugin args. The text must be of `kind`."""
        root = self.read()
        meta = self.type_meta(root)
        self.check_kind(meta, root)
        values = self.decode_object(root, meta, "")
        if self.scheme.strict_first:
            self.check_strict()
        if meta.kind == KIND:
            self.decode_all_args(values)
        self.check_strict()
        if meta.kind != kind:
            got = f"{meta.api_version}, Kind={meta.kind}"
            raise FatalError(f"couldn't decode as {kind}, got {got}: ", "kind", hint=say("use kind: {kind}", kind=kind))
        return root, values

    def check_strict(self) -> None:
        if self.strict_texts:
            raise ConfigError("decode", self.strict, [self.scheme.strict_text(self.text, self.strict_texts)])

    def read(self) -> TextNode:
        if len(self.text) > MAX_BYTES or len(self.text.encode("utf-8", "replace")) > MAX_BYTES:
            raise FatalError(say("the configuration is longer than {n} bytes", n=MAX_BYTES))
        if any("\ud800" <= char <= "\udfff" for char in self.text):
            raise FatalError(say("the configuration is not Unicode text: it holds half a surrogate pair"))
        try:
            document = source(self.text, LIMITS)
            check_counts(document.root)
        except JSONError as error:
            raise FatalError(
                f"couldn't get version/kind; json parse error: {error}",
                line=error.line,
                hint=say("a text that starts with { is read as JSON"),
            ) from None
        except LimitError as error:
            raise FatalError(say("the configuration is too large: {why}", why=error), line=error.line) from None
        except TextError as error:
            raise FatalError(str(error), line=error.line) from None
        if document.duplicates:
            text = document.duplicates_text
            self.strict += [Problem("", None, message, line=line, text=text) for message, line in document.duplicates]
            self.strict_texts.append(text)
        return document.root

    def type_meta(self, node: TextNode, path: str = "") -> TypeMeta:
        """Return apiVersion and kind. As in Go's decoder, the case of their keys doesn't matter."""
        values = {"apiversion": "", "kind": ""}
        failure = ""
        if node.kind not in ("object", "null"):
            failure = f"json: cannot unmarshal {node.kind} into Go value of type {_META_TYPE}"
        for entry in node.entries:
            key = entry.key.casefold()
            if key in values and entry.value.kind == "string":
                values[key] = entry.value.scalar
            elif key in values and entry.value.kind != "null":
                field = "apiVersion" if key == "apiversion" else "kind"
                message = f"json: cannot unmarshal {entry.value.kind} into Go struct field .{field} of type string"
                failure = failure or message
        if failure:
            raise FatalError(f"couldn't get version/kind; json parse error: {failure}", path, node.line)
        group, slash, version = values["apiversion"].partition("/")
        if "/" in version:
            raise FatalError(f"unexpected GroupVersion string: {values['apiversion']}", "apiVersion", node.line)
        return TypeMeta(group, version, values["kind"]) if slash else TypeMeta("", group, values["kind"])

    def check_kind(self, meta: TypeMeta, root: TextNode) -> None:
        if not meta.kind:
            raise FatalError(
                f"Object 'Kind' is missing in '{self.text}'", "kind", hint=say("add kind: {kind}", kind=KIND)
            )
        if not meta.version:
            hint = say("add apiVersion: {group}/{version}", group=self.scheme.group, version=self.scheme.version)
            raise FatalError(f"Object 'apiVersion' is missing in '{self.text}'", "apiVersion", hint=hint)
        self.check_registered(meta, root)

    def check_registered(self, meta: TypeMeta, node: TextNode, path: str = "") -> None:
        scheme = self.scheme
        if scheme.find(meta) is not None:
            return
        version = f"version {quote(meta.api_version)} in scheme {quote(scheme.location)}"
        text = f"no kind {quote(meta.kind)} is registered for {version}"
        if (meta.group, meta.version) != (scheme.group, scheme.version):
            hint = say("use apiVersion: {group}/{version}", group=scheme.group, version=scheme.version)
            raise FatalError(text, path or "apiVersion", node.line, hint)
        kinds = (KIND, *(f"{name}Args" for name in scheme.args))
        raise FatalError(text, path or "kind", node.line, did_you_mean(meta.kind, kinds))

    def decode_object(self, node: TextNode, meta: TypeMeta, prefix: str) -> dict[str, Any]:
        """Decode an object by its kind; collect unknown and duplicate fields.

        `prefix` is the path of args, "" at the top.
        """
        decoder = Decoder(prefix)
        try:
            kind = self.scheme.find(meta)
            assert kind is not None  # it was checked to be registered
            values = decoder.decode(sorted_keys(node) if self.scheme.strict_first else node, kind, meta.kind)
        except DecodeError as failure:
            problem = failure.problem
            raise FatalError(problem.upstream, problem.path, problem.line, problem.hint) from None
        self.strict += decoder.strict
        if not prefix:
            self.strict_texts += [problem.upstream for problem in decoder.strict]
        elif decoder.strict:
            self.nested_strict = self.scheme.strict_text(
                self.raw(node), [problem.upstream for problem in decoder.strict]
            )
        return values

    def decode_all_args(self, values: dict[str, Any]) -> None:
        for i, profile in enumerate(values.get("profiles", [])):
            for j, entry in enumerate(profile.get("pluginConfig", [])):
                name = entry.get("name", "")
                try:
                    args = self.decode_args(name, entry.get("args"), f"profiles[{i}].pluginConfig[{j}]")
                except FatalError as fatal:
                    text = f"decoding .profiles[{i}].pluginConfig[{j}]: {fatal}"
                    problem = fatal.problem
                    raise FatalError(text, problem.path, problem.line, problem.hint) from None
                entry.pop("args", None)
                if args is not None:
                    entry["args"] = args

    def decode_args(self, name: str, node: TextNode | None, path: str) -> PluginArgs | None:
        """Return the args of one plugin, typed if the plugin has an args type, else as raw text."""
        if name not in self.scheme.args:
            return None if node is None else RawArgs(self.raw(node))
        wanted = TypeMeta(self.scheme.group, self.scheme.version, f"{name}Args")
        self.nested_strict = ""
        node = node or null_node()
        try:
            meta = self.defaulted_type_meta(node, wanted, f"{path}.args")
            values = self.decode_object(node, meta, f"{path}.args")
        except FatalError as fatal:
            problem = fatal.problem
            text = f"decoding args for plugin {name}: {fatal}"
            raise FatalError(text, problem.path, problem.line, problem.hint) from None
        if meta.kind != wanted.kind:
            text = f"args for plugin {name} were not of type {wanted.group_kind}, got {meta.group_kind}"
            raise FatalError(
                text, f"{path}.args.kind", node.line, say("use kind: {kind}, or leave it out", kind=wanted.kind)
            )
        if self.nested_strict:
            inner = f"decoding args for plugin {name}: {self.nested_strict}"
            self.strict_texts.append(f"decoding .{path}: {self.scheme.strict_text(self.text, [inner])}")
        args: PluginArgs = construct(self.scheme.args[name], values)
        return args

    def defaulted_type_meta(self, node: TextNode, wanted: TypeMeta, path: str) -> TypeMeta:
        meta = self.type_meta(node, path)
        kind = meta.kind or wanted.kind
        if not meta.version and meta.group in ("", wanted.group):
            meta = wanted
        meta = TypeMeta(meta.group, meta.version, kind)
        if not meta.version:
            raise FatalError(f"Object 'apiVersion' is missing in '{self.raw(node)}'", path, node.line)
        self.check_registered(meta, node, path)
        return meta

    def raw(self, node: TextNode) -> str:
        return self.text[slice(*node.span)] if node.span else compact(node)
