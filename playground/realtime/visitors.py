"""Access to sockets: only pages of this origin, as the user of their session."""

from collections.abc import Awaitable, Callable, MutableMapping
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from channels.auth import get_user
from channels.db import database_sync_to_async
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http.request import split_domain_port, validate_host

from playground.accounts.guests import IS_GUEST
from playground.accounts.services import get_local_user
from playground.settings.reach import is_loopback

Scope = MutableMapping[str, Any]
Application = Callable[[Scope, Any, Any], Awaitable[None]]
DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}


class SameOrigin:
    """Middleware that refuses sockets from pages of another origin, because browsers send cookies along."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        origin, host = headers.get(b"origin", b""), headers.get(b"host", b"")
        if is_ours(origin.decode("latin1"), host.decode("latin1"), scope.get("scheme", "ws")):
            return await self.application(scope, receive, send)
        return await WebsocketDenier()(scope, receive, send)


class Programs:
    """A router that sends sockets of a cluster's Kubernetes API to `api`, and all others to `pages`.

    Programs open the first kind without an Origin, so the API itself refuses a request that has one.
    """

    def __init__(self, api: Application, pages: Application) -> None:
        self._api, self._pages = api, pages

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        return await (self._api if scope["path"].startswith("/k8s/") else self._pages)(scope, receive, send)


def is_ours(origin: str, host: str, scheme: str) -> bool:
    """Return whether `origin` is this server by its `host`, or one of the public origins."""
    domain, _ = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    return origin in settings.PUBLIC_ORIGINS or _is_same(origin, host, scheme)


def _is_same(origin: str, host: str, scheme: str) -> bool:
    try:
        wanted, from_page = urlsplit(f"{scheme}://{host}"), urlsplit(origin)
        return (_place(wanted) == _place(from_page)) and DEFAULT_PORTS[scheme] == DEFAULT_PORTS.get(from_page.scheme)
    except ValueError:
        return False


def _place(parts: Any) -> tuple[str | None, int | None]:
    return parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)


class Visitor:
    """Middleware that adds the user to the scope: the session's, or the implicit one of a local playground."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        return await self.application({**scope, "user": await visitor_of(scope)}, receive, send)


async def visitor_of(scope: Scope) -> Any:
    """Return the user of a socket's session, or the implicit one of a local playground; else AnonymousUser."""
    if not settings.LOCAL:
        return await get_user(scope)
    client = scope.get("client")
    if not client or not is_loopback(client[0]):
        return AnonymousUser()
    if await database_sync_to_async(_is_guest)(scope["session"]):
        guest = await get_user(scope)
        if guest.is_authenticated:
            return guest
    return await database_sync_to_async(get_local_user)()


async def visitor_now(scope: Scope) -> Any:
    """Return the visitor as `visitor_of`, by the session as it is stored at this moment."""
    store = import_module(settings.SESSION_ENGINE).SessionStore
    return await visitor_of({**scope, "session": store(scope["session"].session_key)})


def _is_guest(session: Any) -> bool:
    return bool(session.get(IS_GUEST))
