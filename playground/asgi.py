"""The ASGI application: HTTP by Django, the stream by Channels."""

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

# They import models, which need Django to be set up.
from playground.realtime.crowd import Crowd  # noqa: E402
from playground.realtime.visitors import Programs, SameOrigin, Visitor  # noqa: E402
from playground.routing import of_programs, urlpatterns  # noqa: E402
from playground.web.body_limit import BodyLimit  # noqa: E402
from playground.web.client_places import ClientPlaces  # noqa: E402
from playground.web.handler import Handler  # noqa: E402
from playground.web.static import StaticFiles  # noqa: E402

_routes: Any = ProtocolTypeRouter(
    {
        "http": StaticFiles(BodyLimit(ClientPlaces(Handler()))),
        "websocket": Programs(
            CookieMiddleware(SessionMiddleware(Visitor(URLRouter(of_programs)))),
            SameOrigin(CookieMiddleware(SessionMiddleware(Visitor(Crowd(URLRouter(urlpatterns)))))),
        ),
    }
)
# Outermost: everything below is told the visitor's address and scheme, by a proxy that may say so.
application = ProxyHeadersMiddleware(_routes, trusted_hosts=settings.TRUSTED_PROXIES)

# A page's requests and frames change threads often, and wait each time until a thread that computes, as one that writes
# a long list, lets go of the interpreter: after so many seconds instead of 0.005.
sys.setswitchinterval(0.0005)

# Every view, before the first request and what is set aside below.
get_resolver().url_patterns  # noqa: B018  reading it imports them

# What is imported stays: without it a full collection, in the middle of somebody's request, has little to look at.
gc.freeze()
