"""The environment variables: read once, with all wrong values reported together."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from playground.addresses import with_password
from playground.outbound.allow_list import AllowList, AllowListError

from .logging import FORMATS, LEVELS
from .reach import Reach, names, read_reach
from .secret import stored_secret_key

SHORTEST_OPERATOR_TOKEN = 32
DEFAULT_REDIS_URL = "redis://127.0.0.1:6379/0"
DEFAULT_LEASE_SECONDS = 15.0
DEFAULT_CLUSTER_QUOTA_MB = 256.0
DEFAULT_MIN_FREE_DISK_MB = 512.0
DEFAULT_RETAIN_CYCLES = 10_000.0
DEFAULT_RETAIN_DAYS = 30.0
DEFAULT_PLUGINS = "examples.plugins"


@dataclass(frozen=True)
class Environment:
    """The settings that come from environment variables."""

    host: str
    port: int
    reach: Reach
    data_dir: Path
    database_url: str
    redis_url: str
    secret_key: str
    debug: bool
    lease_seconds: float
    plugins: list[str]
    extender_allowed_hosts: list[str]
    cluster_quota_mb: float
    min_free_disk_mb: float
    retain_cycles: int
    retain_days: float
    operator_token: str
    certificate_authority: bytes
    log_format: str
    log_level: str


def read(environ: Mapping[str, str], data: Path) -> Environment:
    """Read the environment; an empty variable counts as unset. Raises ImproperlyConfigured with every problem.

    `data` is the default of DATA_DIR. A local playground needs no variable; a reachable one needs some, see `reach.py`.
    """
    problems: list[str] = []
    host = environ.get("HOST") or "127.0.0.1"
    debug = _flag(environ, "DEBUG", problems)
    reach = read_reach(environ, debug, _flag(environ, "HTTPS", problems), problems)
    data_dir = Path(environ.get("DATA_DIR") or data).expanduser().absolute()
    port = _number(environ, "PORT", 8000, 0, 65535, problems)
    lease_seconds = _number(environ, "LEASE_SECONDS", DEFAULT_LEASE_SECONDS, 1, 3600, problems)
    cluster_quota_mb = _number(environ, "CLUSTER_QUOTA_MB", DEFAULT_CLUSTER_QUOTA_MB, 1, 1e6, problems)
    min_free_disk_mb = _number(environ, "MIN_FREE_DISK_MB", DEFAULT_MIN_FREE_DISK_MB, 0, 1e6, problems)
    retain_cycles = _number(environ, "RETAIN_CYCLES", DEFAULT_RETAIN_CYCLES, 1, 1e9, problems)
    retain_days = _number(environ, "RETAIN_DAYS", DEFAULT_RETAIN_DAYS, 0, 36500, problems)
    operator_token = environ.get("OPERATOR_TOKEN", "")
    if operator_token and (len(operator_token) < SHORTEST_OPERATOR_TOKEN or not operator_token.isascii()):
        problems.append(
            f"OPERATOR_TOKEN: give {SHORTEST_OPERATOR_TOKEN} random ASCII characters or more, or leave it out"
        )
    log_format = _choice(environ, "LOG_FORMAT", FORMATS, "line", problems)
    certificate_authority = _certificates(environ, problems)
    # A local playground writes to the user's terminal, so it logs warnings only.
    log_level = _choice(environ, "LOG_LEVEL", LEVELS, "WARNING" if reach.local else "INFO", problems)
    extender_allowed_hosts = names(environ, "EXTENDER_ALLOWED_HOSTS")
    try:
        AllowList(extender_allowed_hosts)
    except AllowListError as error:
        problems.append(str(error))
    database_url = _address(environ, "DATABASE", f"sqlite:///{data_dir / 'playground.sqlite3'}", problems)
    redis_url = _address(environ, "REDIS", DEFAULT_REDIS_URL, problems)
    if problems:
        raise ImproperlyConfigured("; ".join(problems))
    return Environment(
        host=host,
        port=int(port),
        reach=reach,
        data_dir=data_dir,
        database_url=database_url,
        redis_url=redis_url,
        secret_key=environ.get("SECRET_KEY") or stored_secret_key(data_dir),
        debug=debug,
        lease_seconds=lease_seconds,
        cluster_quota_mb=cluster_quota_mb,
        min_free_disk_mb=min_free_disk_mb,
        retain_cycles=int(retain_cycles),
        retain_days=retain_days,
        operator_token=operator_token,
        certificate_authority=certificate_authority,
        log_format=log_format,
        log_level=log_level,
        extender_allowed_hosts=extender_allowed_hosts,
        plugins=names(environ, "PLUGINS", DEFAULT_PLUGINS),
    )


def _address(environ: Mapping[str, str], server: str, default: str, problems: list[str]) -> str:
    """Return `<server>_URL` with the password of `<server>_PASSWORD`."""
    try:
        return with_password(environ.get(f"{server}_URL") or default, environ.get(f"{server}_PASSWORD", ""))
    except ValueError as error:
        problems.append(f"{server}_PASSWORD: {error}; {server}_URL says which server it is for")
        return default


def _certificates(environ: Mapping[str, str], problems: list[str]) -> bytes:
    """Return the content of the file that CERTIFICATE_AUTHORITY names; empty without one."""
    path = environ.get("CERTIFICATE_AUTHORITY", "")
    if not path:
        return b""
    try:
        certificates = Path(path).expanduser().read_bytes()
        ssl.create_default_context(cadata=certificates.decode("ascii"))
    # SSLError is an OSError, so it comes first.
    except (ssl.SSLError, ValueError) as error:
        problems.append(f"CERTIFICATE_AUTHORITY={path}: must hold certificates in PEM: {error}")
    except OSError as error:
        problems.append(f"CERTIFICATE_AUTHORITY={path}: {error.strerror or error}")
    else:
        return certificates
    return b""


def _choice(environ: Mapping[str, str], name: str, choices: tuple[str, ...], default: str, problems: list[str]) -> str:
    text = environ.get(name) or default
    if text not in choices:
        problems.append(f"{name}={text}: must be one of {', '.join(choices)}")
    return text


def _flag(environ: Mapping[str, str], name: str, problems: list[str]) -> bool:
    text = environ.get(name, "")
    if text not in ("", "0", "1"):
        problems.append(f"{name}={text}: must be 0 or 1")
    return text == "1"


def _number(
    environ: Mapping[str, str], name: str, default: float, low: float, high: float, problems: list[str]
) -> float:
    text = environ.get(name, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if low <= value <= high:
        return value
    problems.append(f"{name}={text}: must be a number from {low:g} to {high:g}")
    return default
