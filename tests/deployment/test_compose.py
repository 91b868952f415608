"""docker-compose.yml: valid by Compose's own schema, and by its own tool where there is one; nothing left open."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from redis.connection import parse_url

from playground.limits import KEEP_ALIVE_SECONDS, SOCKET_BYTES
from playground.settings.environment import read
from playground.settings.service_addresses import database
from tests.deployment.front import FILE as CADDYFILE
from tests.resilience.compose import COMPOSE_FILE, ROOT, VARIABLES, Compose

# github.com/compose-spec/compose-spec, schema/compose-spec.json, Apache-2.0.
SCHEMA = json.loads((Path(__file__).parent / "compose-spec.json").read_text())
OURS = ("web", "worker", "questions", "beat", "migrate")
SERVERS = ("postgres", "redis", "proxy")


@pytest.fixture
def services() -> dict[str, Any]:
    found: dict[str, Any] = Compose(VARIABLES).document["services"]
    assert set(found) == {*OURS, *SERVERS}
    return found


def test_the_schema() -> None:
    jsonschema.Draft7Validator(SCHEMA).validate(Compose(VARIABLES).document)


def test_the_schema_would_find_something() -> None:
    document = Compose(VARIABLES).document
    document["services"]["web"]["helthcheck"] = {}
    with pytest.raises(jsonschema.ValidationError, match="helthcheck"):
        jsonschema.Draft7Validator(SCHEMA).validate(document)


def test_what_compose_itself_says() -> None:
    """`docker compose config` needs no daemon. Machines without Compose have the schema."""
    for tool in _tools():
        command = [*tool, "--file", str(COMPOSE_FILE), "config", "--quiet"]
        environ = {**os.environ, **VARIABLES}
        done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        for missing in VARIABLES:
            without = {name: value for name, value in environ.items() if name != missing}
            done = subprocess.run(command, cwd=ROOT, env=without, capture_output=True, text=True)
            assert done.returncode != 0
            assert missing in done.stderr


def _tools() -> list[list[str]]:
    """Compose as a plugin of docker, or on its own; as Debian's package docker-compose has it."""
    found = []
    for tool in (["docker", "compose"], ["docker-compose"]):
        if shutil.which(tool[0]) and subprocess.run([*tool, "version"], capture_output=True).returncode == 0:
            found.append(tool)
    return found


@pytest.mark.parametrize("name", [*OURS, *SERVERS])
def test_every_container_is_limited_and_looked_after(services: dict[str, Any], name: str) -> None:
    service = services[name]
    assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"}
    assert "no-new-privileges:true" in service["security_opt"]
    # The migration ends.
    assert ("healthcheck" in service) == (name != "migrate")
    assert 0 < service["pids_limit"] <= 512
    assert service["networks"]
    assert all("size=" in each for each in service.get("tmpfs", ()))
    assert service["restart"] == ("on-failure" if name == "migrate" else "unless-stopped")


@pytest.mark.parametrize("name", OURS)
def test_ours_can_write_nothing_and_wait_for_the_migration(services: dict[str, Any], name: str) -> None:
    service = services[name]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert [each.partition(":")[0] for each in service["tmpfs"]] == ["/tmp"]  # noqa: S108
    waits_for = service["depends_on"]
    if name == "migrate":
        assert waits_for == {"postgres": {"condition": "service_healthy"}}
    else:
        assert waits_for["migrate"] == {"condition": "service_completed_successfully"}


def test_nothing_but_the_proxy_is_reachable_from_outside(services: dict[str, Any]) -> None:
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert not any("network_mode" in service for service in services.values())


def test_who_can_talk_to_whom(services: dict[str, Any]) -> None:
    """The proxy to web processes alone, and neither these nor database and Redis to the world."""
    networks = Compose(VARIABLES).document["networks"]
    members = {net: {name for name, service in services.items() if net in service["networks"]} for net in networks}
    assert members == {
        "edge": {"proxy"},
        "front": {"proxy", "web"},
        "data": {*OURS, "postgres", "redis"},
        "extenders": {"worker", "questions"},
    }
    assert {net for net, said in networks.items() if said.get("internal")} == {"front", "data"}


def test_the_proxy_is_believed_and_it_alone(services: dict[str, Any]) -> None:
    document = Compose(VARIABLES).document
    (config,) = document["networks"]["front"]["ipam"]["config"]
    environ = Compose(VARIABLES).environment("web")
    reach = read({**environ, "SECRET_KEY": "0123456789" * 5}, ROOT).reach
    assert reach.trusted_proxies == [config["subnet"]]
    assert reach.public_origins == ["https://" + VARIABLES["PUBLIC_HOST"]]
    assert (reach.local, reach.https) == (False, True)
    # uvicorn has a rule of its own, which would come first.
    assert "--no-proxy-headers" in services["web"]["command"]


def test_idle_connections_outlive_those_of_clients_and_proxies(services: dict[str, Any]) -> None:
    command = services["web"]["command"]
    assert command[command.index("--timeout-keep-alive") + 1] == str(KEEP_ALIVE_SECONDS)
    for path in ("Dockerfile", "examples/deployment/kubernetes.yaml"):
        text = (ROOT / path).read_text().replace('"', "")
        assert f"--timeout-keep-alive, {KEEP_ALIVE_SECONDS}" in text
    # Caddy closes its own idle connections to the web processes after two minutes.
    assert KEEP_ALIVE_SECONDS > 120


def test_frames_are_as_small_as_on_one_machine(services: dict[str, Any]) -> None:
    command = services["web"]["command"]
    assert command[command.index("--ws-max-size") + 1] == str(SOCKET_BYTES)
    assert f'"--ws-max-size", "{SOCKET_BYTES}"' in (ROOT / "Dockerfile").read_text()


def test_the_proxy_runs_the_file_that_is_tested(services: dict[str, Any]) -> None:
    (mounted,) = (each for each in services["proxy"]["volumes"] if each.endswith("/etc/caddy/Caddyfile:ro"))
    assert (ROOT / mounted.partition(":")[0]) == CADDYFILE
    assert set(services["proxy"]["environment"]) <= set(re.findall(r"\{\$(\w+)", CADDYFILE.read_text()))


def test_passwords_of_any_kind_arrive(services: dict[str, Any]) -> None:
    environ = Compose(VARIABLES).environment("web")
    given = read({**environ, "SECRET_KEY": "0123456789" * 5}, ROOT)
    assert database(given.database_url, "")["PASSWORD"] == VARIABLES["POSTGRES_PASSWORD"]
    assert parse_url(given.redis_url)["password"] == VARIABLES["REDIS_PASSWORD"]
    command = services["redis"]["command"]
    assert command[command.index("--requirepass") + 1] == VARIABLES["REDIS_PASSWORD"]
    # A quarter less than the container may have: Redis counts its data, not itself.
    most = services["redis"]["deploy"]["resources"]["limits"]["memory"]
    assert (command[command.index("--maxmemory") + 1], most) == ("192mb", "256M")


def test_the_image() -> None:
    """The last stage runs as a user that owns nothing of what it runs."""
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    users = [line for line in lines if line.startswith("USER")]
    assert users == ["USER 10001"]
    assert not any("--chown" in line for line in lines)
    install = next(line for line in lines if "pip install" in line)
    assert "--require-hashes" in install
    last_copy = max(number for number, line in enumerate(lines) if line.startswith("COPY"))
    assert lines.index("USER 10001") > last_copy
    command = json.loads(next(line for line in lines if line.startswith("CMD")).removeprefix("CMD "))
    assert command == Compose(VARIABLES).command("web")
