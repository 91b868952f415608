"""A client's request, with bounded parameters and a decoded body."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, TypedDict
from uuid import uuid4

from django.http import HttpRequest

from kube_apiserver import causes, conversion, errors, request_info
from kube_apiserver.reads import encoding
from kube_apiserver.resources import Resource
from kube_apiserver.writes import decode, deleting, patches, protobuf
from kube_apiserver.writes.deleting import DeleteOptions
from kube_apiserver.writes.options import WriteOptions
from playground import limits
from playground.kubernetes import api_clock
from playground.kubernetes.callers import caller_of

MAX_MANAGER = 128
VALIDATIONS = ("", "Ignore", "Strict", "Warn")
JSON = "application/json"
_CLIENT = re.compile(r"[\w.-]{1,40}(?:/[\w.+-]{1,40})?")
_SESSION = re.compile(rf"[\w-]{{1,{limits.CHANGE_SET}}}", re.ASCII)


class Writer(TypedDict):
    author: str
    client: str
    change_set: str


class Request:
    def __init__(self, request: HttpRequest, cluster_id: int, path: str) -> None:
        self._request = request
        self.caller = caller_of(request, cluster_id, self.client)
        self.cluster = self.caller.cluster
        self.method = request.method or "GET"
        self.info = request_info.read(self.method, path, self.options)
        self.parts = path.split("/")
        self.accept = request.headers.get("Accept", "")
        # The version of the kind that the client uses, if it is not the stored one.
        self.served: Resource | None = None

    @property
    def host(self) -> str:
        return self._request.get_host()

    @property
    def base(self) -> str:
        """Return the URL of the cluster's API."""
        return self._request.build_absolute_uri(f"/k8s/{self.cluster.pk}")

    @property
    def options(self) -> Mapping[str, str]:
        return self._request.GET.dict()

    def flag(self, name: str) -> bool:
        return self.query(name) not in ("", "0", "false", "False")

    def has(self, name: str) -> bool:
        return name in self._request.GET

    def query(self, name: str) -> str:
        return self._request.GET.get(name, "")

    def number(self, name: str) -> int:
        """Return a number from the query, or 0."""
        return max(errors.parse_int(self.query(name) or "0"), 0)

    @property
    def is_dry_run(self) -> bool:
        return self.query("dryRun") == "All"

    def check_options(self) -> None:
        """Raise ApiError for invalid parameters of a write, before anything is read."""
        if wrong := list(self._wrong_options()):
            raise errors.invalid_options(self._options, wrong)

    def _wrong_options(self) -> Iterator[causes.Cause]:
        """Yield the causes of invalid options. Source: apimachinery/pkg/apis/meta/v1/validation."""
        if self.method != "DELETE":
            yield from self._wrong_manager()
        written = [each[:40] for each in self._request.GET.getlist("dryRun") if each]
        if any(each != "All" for each in written):
            yield causes.unsupported("dryRun", written, ("All",))
        validation = self.query("fieldValidation")
        if validation not in VALIDATIONS and self.method != "DELETE":
            yield causes.unsupported("fieldValidation", validation[:40], VALIDATIONS)

    def _wrong_manager(self) -> Iterator[causes.Cause]:
        manager, is_apply = self.query("fieldManager"), self.content_type in patches.APPLY_PATCH
        if self.method == "PATCH" and is_apply and not manager:
            yield causes.required("fieldManager", "is required for apply patch")
        if self.method == "PATCH" and not is_apply and self.has("force"):
            yield causes.forbidden("force", "may not be specified for non-apply patch")
        if len(manager.encode()) > MAX_MANAGER:
            yield causes.too_long("fieldManager", MAX_MANAGER)
        for place, sign in enumerate(manager[:MAX_MANAGER]):
            if not sign.isprintable():
                detail = f"invalid character U+{ord(sign):04X} (at position {place})"
                yield causes.invalid("fieldManager", manager[:MAX_MANAGER], detail)

    @property
    def client(self) -> str:
        """Return the client's program and version from its User-Agent, such as `kubectl/v1.34.5`, or ""."""
        match = _CLIENT.match(self._request.headers.get("User-Agent", ""))
        return match[0] if match else ""

    @property
    def client_key(self) -> str:
        """Return the key of the client whose limits count."""
        return self.caller.key

    @cached_property
    def writer(self) -> Writer:
        """Return the fields of the commands that this request queues.

        kubectl sends a session header with each invocation; other clients send none. The writes of one session, or of
        one request, are one change set. Source: cli-runtime/pkg/genericclioptions/command_headers.go.
        """
        session = self._request.headers.get("Kubectl-Session", "")
        change_set = session if _SESSION.fullmatch(session) else str(uuid4())
        return {"author": self.caller.user, "client": self.client, "change_set": change_set}

    @cached_property
    def write_options(self) -> WriteOptions:
        manager = self.query("fieldManager")[:MAX_MANAGER] or self.client.partition("/")[0] or "unknown"
        validation = self.query("fieldValidation") or "Warn"
        seed = f"{self.cluster.seed}/{self.cluster.submitted}"
        is_forced = self.query("force") == "true"
        time = api_clock.format_time(self.now)
        return WriteOptions(manager, time, validation, force=is_forced, seed=seed, is_dry_run=self.is_dry_run)

    @property
    def now(self) -> datetime:
        return api_clock.cluster_time(self.cluster)

    @property
    def _options(self) -> str:
        return {"POST": "CreateOptions", "PUT": "UpdateOptions", "DELETE": "DeleteOptions"}.get(
            self.method, "PatchOptions"
        )

    def delete_options(self) -> DeleteOptions:
        return deleting.options(self.body() if self._request.body.strip() else None, self._request.GET.dict())

    @property
    def content_type(self) -> str:
        return (self._request.content_type or "").lower()

    def sent(self, kind: str = "") -> Any:
        """Return the object in the body, converted to the stored version."""
        sent = self.body(kind)
        if self.served is None:
            return sent
        if self.method != "PATCH" and isinstance(sent, dict):
            # Validate it against the version that the client knows.
            decode.decoded(self.served, sent)
        return conversion.into(self.served, sent)

    def body(self, kind: str = "") -> Any:
        """Return the object in the body, decoded from JSON, YAML or protobuf.

        Raise ApiError for other types. `kind` is the expected kind.
        """
        if self.content_type == protobuf.CONTENT_TYPE:
            return protobuf.decode(self._request.body)
        # A body without a type is JSON, as `kubectl create --raw` sends it. Foreign web pages are refused by their
        # Origin.
        if self.content_type not in ("", JSON, encoding.YAML, *patches.PATCHES):
            raise errors.not_understood((JSON, encoding.YAML, protobuf.CONTENT_TYPE))
        is_apply = self.content_type == patches.APPLY_PATCH[0] and self._request.body.lstrip()[:1] != b"{"
        if is_apply or self.content_type == encoding.YAML:
            return decode.read_yaml(self._request.body, kind)
        start = "error decoding patch: " if self.content_type in (patches.JSON_PATCH, patches.MERGE_PATCH) else ""
        return decode.read_json(self._request.body, kind, start)
