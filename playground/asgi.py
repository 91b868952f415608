"""The ASGI application: Django serves HTTP, and Channels serves WebSockets."""

import gc
import os
import sys
from typing import Any

import django
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import CookieMiddleware, SessionMiddleware
from django.conf import settings
from django.urls import get_resolver
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
django.setup(set_prefix=False)

# These modules import models, which need `django.setup()`.
from playground.realtime.socket_limits import SocketLimits  # noqa: E402
from playground.realtime.visitors import Programs, SameOrigin, Visitor  # noqa: E402
from playground.routing import of_programs, urlpatterns  # noqa: E402
from playground.web.body_limit import BodyLimit  # noqa: E402
from playground.web.client_places import ClientPlaces  # noqa: E402
from playground.web.handler import Handler  # noqa: E402
from playground.web.static_files import StaticFiles  # noqa: E402

_routes: Any = ProtocolTypeRouter(
    {
        "http": StaticFiles(BodyLimit(ClientPlaces(Handler()))),
        "websocket": Programs(
            CookieMiddleware(SessionMiddleware(Visitor(URLRouter(of_programs)))),
            SameOrigin(CookieMiddleware(SessionMiddleware(Visitor(SocketLimits(URLRouter(urlpatterns)))))),
        ),
    }
)
# Outermost, so that all middleware below uses the client address and scheme that a trusted proxy reports.
application = ProxyHeadersMiddleware(_routes, trusted_hosts=settings.TRUSTED_PROXIES)

# Requests and WebSocket messages switch threads often. Each switch waits for a computing thread to release the
# interpreter, here after 0.0005 s instead of 0.005 s.
sys.setswitchinterval(0.0005)

# Import every view before the first request and before the freeze below.
get_resolver().url_patterns  # noqa: B018  reading it imports them

# Modules are permanent. Frozen, they don't prolong a full collection in the middle of a request.
gc.freeze()
