"""What a client asks, read out of its request and bounded."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, TypedDict
from uuid import uuid4

from django.http import HttpRequest

from kube_apiserver import causes, conversion, errors, request_info
from kube_apiserver.reads import go_yaml
from kube_apiserver.resources import Resource
from kube_apiserver.writes import decode, deleting, patches, protobuf
from kube_apiserver.writes.deleting import DeleteOptions
from kube_apiserver.writes.options import WriteOptions
from playground import limits
from playground.kubernetes import clock
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
        # The version of the kind in which the client speaks, where it is not the one that is stored.
        self.served: Resource | None = None

    @property
    def host(self) -> str:
        return self._request.get_host()

    @property
    def base(self) -> str:
        """The address of the cluster's API."""
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
        """A number of the query; 0 when it is not there."""
        return max(errors.parse_int(self.query(name) or "0"), 0)

    @property
    def is_dry_run(self) -> bool:
        return self.query("dryRun") == "All"

    def check_options(self) -> None:
        """ApiError for parameters of a write that do not fit, before anything is looked at."""
        if wrong := list(self._wrong_options()):
            raise errors.invalid_options(self._options, wrong)

    def _wrong_options(self) -> Iterator[causes.Cause]:
        """Source: apimachinery/pkg/apis/meta/v1/validation."""
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
        """Who asks, as it names itself: `kubectl/v1.34.5`."""
        found = _CLIENT.match(self._request.headers.get("User-Agent", ""))
        return found[0] if found else ""

    @property
    def client_key(self) -> str:
        """Whose limits count."""
        return self.caller.key

    @cached_property
    def writer(self) -> Writer:
        """The fields of the commands that this request queues.

        kubectl names each of its invocations in a header, and other clients name none. What one request writes is one
        change set. Source: cli-runtime/pkg/genericclioptions/command_headers.go.
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
        time = clock.text(self.now)
        return WriteOptions(manager, time, validation, force=is_forced, seed=seed, is_dry_run=self.is_dry_run)

    @property
    def now(self) -> datetime:
        return clock.now(self.cluster)

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
        """The object of the body in the version that is stored."""
        sent = self.body(kind)
        if self.served is None:
            return sent
        if self.method != "PATCH" and isinstance(sent, dict):
            # It has to fit the type that the client knows.
            decode.decoded(self.served, sent)
        return conversion.into(self.served, sent)

    def body(self, kind: str = "") -> Any:
        """The object of the body, of JSON, YAML or protobuf; ApiError for other forms. `kind` is what it should be."""
        if self.content_type == protobuf.CONTENT_TYPE:
            return protobuf.decode(self._request.body)
        # Without a type it is JSON, as `kubectl create --raw` sends it; pages of others have an Origin.
        if self.content_type not in ("", JSON, go_yaml.CONTENT_TYPE, *patches.PATCHES):
            raise errors.not_understood((JSON, go_yaml.CONTENT_TYPE, protobuf.CONTENT_TYPE))
        is_apply = self.content_type == patches.APPLY_PATCH[0] and self._request.body.lstrip()[:1] != b"{"
        if is_apply or self.content_type == go_yaml.CONTENT_TYPE:
            return decode.read_yaml(self._request.body, kind)
        start = "error decoding patch: " if self.content_type in (patches.JSON_PATCH, patches.MERGE_PATCH) else ""
        return decode.read_json(self._request.body, kind, start)
