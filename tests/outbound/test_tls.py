"""The door and TLS: whom it trusts, as whom it comes, and servers that speak something else."""

import socket
import ssl

import pytest

from playground.outbound.egress import AWAITING_HEADERS
from scheduler_core.config.types import ExtenderTLSConfig
from scheduler_core.extender import Response
from tests.outbound.loopback_servers import (
    CERTS,
    answers,
    door,
    post,
    refusal,
    serve,
)

OK = b"HTTP/1.1 200 OK\r\n"
TIMEOUT = 0.4


def server_tls(client_authority: bool = False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTS / "server.pem")
    if client_authority:
        context.load_verify_locations(CERTS / "ca.pem")
        context.verify_mode = ssl.CERT_REQUIRED
    return context


CA = (CERTS / "ca.pem").read_bytes()
CLIENT, KEY = (CERTS / "client.pem").read_bytes(), (CERTS / "client.key").read_bytes()
UNKNOWN = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
TRUSTED = [
    ("its authority", ExtenderTLSConfig(ca_data=CA)),
    ("no questions asked", ExtenderTLSConfig(insecure=True)),
    ("under another name", ExtenderTLSConfig(ca_data=CA, server_name="extender.test")),
]
UNTRUSTED = [
    # name                  options                                                        text
    ("the system's authorities", None, UNKNOWN),
    ("a wrong name", ExtenderTLSConfig(ca_data=CA, server_name="other.test"),
     "tls: failed to verify certificate: x509: certificate is not valid for other.test"),
    ("a name that cannot be", ExtenderTLSConfig(ca_data=CA, server_name=".x"), "tlsConfig.serverName"),
    ("no certificates", ExtenderTLSConfig(ca_data=b"what?"), "tlsConfig: the certificates or the key cannot be read"),
    ("no text", ExtenderTLSConfig(ca_data=b"\xff"), "tlsConfig: the certificates or the key cannot be read"),
    ("a key without its certificate", ExtenderTLSConfig(ca_data=CA, cert_data=CA, key_data=KEY),
     "tlsConfig: the certificates or the key cannot be read"),
    ("a file of ours", ExtenderTLSConfig(ca_file="/etc/ssl/certs/ca-certificates.crt"),
     "tlsConfig.caFile: the playground reads no files for an extender; use caData"),
    ("a key file of ours", ExtenderTLSConfig(key_file="/etc/shadow"), "tlsConfig.keyFile"),
    ("a certificate file of ours", ExtenderTLSConfig(cert_file="x"), "tlsConfig.certFile"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), TRUSTED, ids=[case[0] for case in TRUSTED])
def test_tls(name: str, options: ExtenderTLSConfig) -> None:
    with serve(answers(b"{}"), server_tls()) as server:
        url = server.url(host="localhost", scheme="https")
        assert post(door("localhost"), url, tls=options) == Response(200, b"{}")


@pytest.mark.parametrize(("name", "options", "text"), UNTRUSTED, ids=[case[0] for case in UNTRUSTED])
def test_no_tls(name: str, options: ExtenderTLSConfig | None, text: str) -> None:
    with serve(answers(b"{}"), server_tls()) as server:
        url = server.url(host="localhost", scheme="https")
        assert text in refusal(door("localhost"), url, tls=options)
    assert server.requests == []


def test_a_client_certificate() -> None:
    with serve(answers(b"{}"), server_tls(client_authority=True)) as server:
        url = server.url(host="localhost", scheme="https")
        options = ExtenderTLSConfig(ca_data=CA, cert_data=CLIENT, key_data=KEY)
        assert post(door("localhost"), url, tls=options) == Response(200, b"{}")
        # Depending on who is faster, its refusal is read or only that it has hung up.
        text = refusal(door("localhost"), url, tls=ExtenderTLSConfig(ca_data=CA))
        assert text.removeprefix(f'Post "{url}": ').startswith(("remote error: tls: ", "EOF", "read tcp "))


def test_plain_http_where_tls_is_expected() -> None:
    with serve(answers(b"{}")) as server, socket.create_server(("127.0.0.1", 0)) as silent:
        url = server.url(scheme="https")
        silent_url = f"https://127.0.0.1:{silent.getsockname()[1]}/f"
        # It reads the greeting as a request that never ends.
        assert AWAITING_HEADERS in refusal(door(), url, TIMEOUT)
        assert AWAITING_HEADERS in refusal(door(), silent_url, TIMEOUT)


def test_http_in_answer_to_a_tls_greeting() -> None:
    def plain(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        connection.recv(1000)

    with serve(plain, reads=False) as server:
        text = refusal(door(), server.url(scheme="https"))
    assert text.endswith("http: server gave HTTP response to HTTPS client")
