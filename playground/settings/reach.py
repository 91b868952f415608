"""The names, proxies and clients that reach this playground, and the settings that a reachable one requires."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

SHORTEST_SECRET_KEY = 32
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
# The default proxies of a loopback socket, because only programs on this machine can connect to it.
LOOPBACK = ("127.0.0.0/8", "::1/128")
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Reach:
    """The names and networks that reach the playground.

    `local`: only this machine reaches it, so there is one implicit user and no login. `allowed_hosts` are its host
    names, `public_origins` further origins of browsers, and `trusted_proxies` the networks whose forwarded client
    address and scheme are trusted. `https`: browsers use TLS.
    """

    local: bool
    allowed_hosts: list[str]
    public_origins: list[str]
    trusted_proxies: list[str]
    https: bool


def read_reach(environ: Mapping[str, str], debug: bool, https: bool, problems: list[str]) -> Reach:
    """Read the settings about reach; append errors to `problems`.

    The playground is local if it listens on loopback and no setting implies a proxy: no public host, no public origin,
    and no trusted proxy. Otherwise it requires host names and a secret key, and forbids DEBUG.
    """
    host = environ.get("HOST") or "127.0.0.1"
    allowed_hosts = names(environ, "ALLOWED_HOSTS")
    origins = [_origin(text, problems) for text in names(environ, "PUBLIC_ORIGINS")]
    proxies = [_network(text, problems) for text in names(environ, "TRUSTED_PROXIES")]
    # The settings that make it reachable; the first one is named in errors.
    opens = [f"HOST={host}"] * (not is_loopback(host))
    opens += [f"ALLOWED_HOSTS={name}" for name in allowed_hosts if not is_loopback(name.lstrip("."))]
    opens += [f"PUBLIC_ORIGINS={origin}" for origin in origins if not is_loopback(urlsplit(origin).hostname or "")]
    opens += [f"TRUSTED_PROXIES={proxy}" for proxy in proxies]
    if opens:
        problems += _exposed_problems(opens[0], allowed_hosts, environ.get("SECRET_KEY", ""), debug)
    return Reach(
        local=not opens,
        allowed_hosts=allowed_hosts or [*LOCAL_HOSTS, *([host] if host not in LOCAL_HOSTS else [])],
        public_origins=origins,
        trusted_proxies=proxies or (list(LOOPBACK) if is_loopback(host) else []),
        # If all public origins use TLS, HTTPS need not be set.
        https=https
        or (bool(origins) and not environ.get("HTTPS") and all(name.startswith("https:") for name in origins)),
    )


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a socket bound to `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def names(environ: Mapping[str, str], name: str, default: str = "") -> list[str]:
    """Return the comma-separated words of a setting."""
    return [part.strip() for part in environ.get(name, default).split(",") if part.strip()]


def _exposed_problems(setting: str, allowed_hosts: list[str], secret_key: str, debug: bool) -> list[str]:
    problems = []
    if not allowed_hosts or any(name.lstrip(".") in ("", "*") for name in allowed_hosts):
        problems.append(
            f"ALLOWED_HOSTS: {setting} lets other machines in, so name the hosts that this playground answers to, "
            "for example ALLOWED_HOSTS=playground.example.org; * is not accepted"
        )
    if len(secret_key) < SHORTEST_SECRET_KEY or len(set(secret_key)) < 8:
        problems.append(
            f"SECRET_KEY: {setting} lets other machines in, so give {SHORTEST_SECRET_KEY} random characters or more, "
            'for example the output of python3 -c "import secrets; print(secrets.token_urlsafe(48))"'
        )
    if debug:
        problems.append(
            f"DEBUG: {setting} lets other machines in, and DEBUG=1 would show them the insides; leave it out"
        )
    return problems


def _origin(text: str, problems: list[str]) -> str:
    """Return the origin as browsers write it, without the scheme's default port."""
    try:
        parts = urlsplit(text.lower())
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    host = parts.hostname or ""
    if parts.scheme not in DEFAULT_PORTS or not host or "*" in host or text.rstrip("/").count("/") != 2 or "@" in text:
        problems.append(f"PUBLIC_ORIGINS={text}: must be like https://playground.example.org, with a port if need be")
        return ""
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, DEFAULT_PORTS[parts.scheme]) else "")


def _network(text: str, problems: list[str]) -> str:
    try:
        network = ipaddress.ip_network(text)
    except ValueError as error:
        problems.append(f"TRUSTED_PROXIES={text}: must be an address or a network such as 10.1.2.0/24: {error}")
        return ""
    if not network.prefixlen:
        problems.append(f"TRUSTED_PROXIES={text}: everybody's word would be taken for where a request comes from")
    return str(network)
