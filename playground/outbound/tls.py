"""TLS by an extender's `tlsConfig`. Files that it names are not read.

Source: k8s.io/client-go/rest TLSConfigFor, Go's crypto/tls.
"""

import os
import socket
import ssl
import tempfile

from playground.outbound.deadline_sockets import Deadline
from scheduler_core.config.types import ExtenderTLSConfig

_FILES = {"cert_file": ("certFile", "certData"), "key_file": ("keyFile", "keyData"), "ca_file": ("caFile", "caData")}
# OpenSSL's X509_V_ERR_… codes.
_UNKNOWN_AUTHORITY = {2, 18, 19, 20, 21}
_NOT_NOW = {9, 10}
_OTHER_NAME = {62, 64}


class TLSSettingsError(ValueError):
    """An error for a `tlsConfig` that the playground refuses; the message names the field."""


class TLSError(Exception):
    """A failed handshake; the text is Go's if Go has one for it."""


def wrap(connection: socket.socket, host: str, options: ExtenderTLSConfig | None, deadline: Deadline) -> ssl.SSLSocket:
    """Return a TLS connection over a socket. Raises TLSSettingsError, TLSError, TimeoutError, ConnectionError."""
    options = options or ExtenderTLSConfig()
    context = _context(options)
    connection.settimeout(deadline.left())
    name = options.server_name or host
    try:
        return context.wrap_socket(connection, server_hostname=name)
    except ssl.SSLError as error:
        raise TLSError(error_text(error, name)) from None
    except (ValueError, TypeError) as error:
        raise TLSSettingsError(f"tlsConfig.serverName: {name!r}: {error}") from None


def _context(options: ExtenderTLSConfig) -> ssl.SSLContext:
    for attribute, (field, instead) in _FILES.items():
        if getattr(options, attribute):
            raise TLSSettingsError(f"tlsConfig.{field}: the playground reads no files for an extender; use {instead}")
    try:
        context = ssl.create_default_context(cadata=options.ca_data.decode("ascii") if options.ca_data else None)
        if options.cert_data:
            _load_certificate(context, options)
    except (ssl.SSLError, ValueError) as error:
        raise TLSSettingsError(f"tlsConfig: the certificates or the key cannot be read: {error}") from None
    if options.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _load_certificate(context: ssl.SSLContext, options: ExtenderTLSConfig) -> None:
    """Load the client's certificate through a temporary private file, because OpenSSL reads it only from a file."""
    with tempfile.TemporaryDirectory(prefix="extender-") as folder:
        path = os.path.join(folder, "client.pem")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(options.cert_data + b"\n" + options.key_data)
        # Without this, OpenSSL prompts for the password of an encrypted key. So the key is an error.
        context.load_cert_chain(path, password=lambda: "")


def error_text(error: ssl.SSLError, host: str) -> str:
    """Return the text of a TLS error, as Go words it where possible."""
    if isinstance(error, ssl.SSLEOFError):
        return "EOF"
    if isinstance(error, ssl.SSLCertVerificationError):
        if error.verify_code in _UNKNOWN_AUTHORITY:
            cause = "certificate signed by unknown authority"
        elif error.verify_code in _NOT_NOW:
            cause = "certificate has expired or is not yet valid"
        elif error.verify_code in _OTHER_NAME:
            cause = f"certificate is not valid for {host}"
        else:
            cause = error.verify_message
        return f"tls: failed to verify certificate: x509: {cause}"
    if error.reason in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"):
        return "http: server gave HTTP response to HTTPS client"
    if error.reason and "ALERT" in error.reason:
        alert = error.reason.partition("ALERT_")[2].lower().replace("_", " ") or error.reason.lower()
        return f"remote error: tls: {alert}"
    return f"tls: {error.reason or error}"
