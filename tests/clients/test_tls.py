"""kubectl reaches a playground by TLS, with a certificate that only its kubeconfig vouches for."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import yaml
from django.test import override_settings

from playground.kubernetes import tokens
from playground.models import Cluster as ClusterRow
from tests.clients.conftest import Cluster
from tests.outbound.loopback_servers import CERTS


@contextmanager
def tls_before(url: str) -> Iterator[str]:
    """What ends TLS in front of a server; the address of the whole."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTS / "server.pem")
    host, port = urlsplit(url).hostname, urlsplit(url).port
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        threading.Thread(target=_accept, args=(listener, context, (host, port)), daemon=True).start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"


def _accept(listener: socket.socket, context: ssl.SSLContext, target: tuple[str, int]) -> None:
    with suppress(OSError):
        while True:
            near, _ = listener.accept()
            threading.Thread(target=_join, args=(near, context, target), daemon=True).start()


def _join(near: socket.socket, context: ssl.SSLContext, target: tuple[str, int]) -> None:
    # A client that does not trust the certificate hangs up.
    with (
        suppress(OSError),
        context.wrap_socket(near, server_side=True) as secure,
        socket.create_connection(target) as far,
    ):
        secure.settimeout(60)
        threading.Thread(target=_forward, args=(far, secure), daemon=True).start()
        _forward(secure, far)


def _forward(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def test_kubectl_believes_the_certificate_that_its_kubeconfig_carries(make_cluster: Callable[..., Cluster]) -> None:
    cluster = make_cluster()
    row = ClusterRow(pk=cluster.number)
    made = yaml.safe_load(cluster.page.post(f"clusters/{cluster.number}/tokens/", {"role": "edit"})["kubeconfig"])
    token = made["users"][0]["user"]["token"]
    with tls_before(cluster.server) as url:
        cluster.kubeconfig.write_text(tokens.kubeconfig(row, url, token))
        assert "x509: certificate signed by unknown authority" in cluster.kubectl("get nodes", want=1)
        with override_settings(CERTIFICATE_AUTHORITY=(CERTS / "ca.pem").read_bytes()):
            cluster.kubeconfig.write_text(tokens.kubeconfig(row, url, token))
        assert cluster.kubectl("get nodes -o name").split() == [f"node/node-{number}" for number in range(3)]
        cluster.kubectl("create configmap settings --from-literal=a=b")
        assert cluster.kubectl("get configmap settings -o jsonpath={.data.a}") == "b"


def test_kubectl_logs_in_with_the_token_of_a_service_account(make_cluster: Callable[..., Cluster]) -> None:
    """Over TLS, because kubectl sends no token to an http address."""
    cluster = make_cluster()
    row = ClusterRow(pk=cluster.number)
    cluster.kubectl("create serviceaccount ci")
    cluster.kubectl("create clusterrolebinding ci --clusterrole=system:aggregate-to-view --serviceaccount=default:ci")
    token = cluster.kubectl("create token ci --duration=10m").strip()
    with tls_before(cluster.server) as url:
        with override_settings(CERTIFICATE_AUTHORITY=(CERTS / "ca.pem").read_bytes()):
            cluster.kubeconfig.write_text(tokens.kubeconfig(row, url, token))
        user = cluster.kubectl("auth whoami -o jsonpath={.status.userInfo.username}")
        assert user == "system:serviceaccount:default:ci"
        assert cluster.kubectl("auth can-i list pods").strip() == "yes"
        refusal = cluster.kubectl("get secrets", want=1)
        assert 'User "system:serviceaccount:default:ci" cannot list resource "secrets"' in refusal
