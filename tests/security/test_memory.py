"""No request raises a process that serves others by more than MOST: measured on a playground that really runs."""

import gzip
import http.client
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from playground import limits
from tests.services import Playground

MIB = 1 << 20
MOST = 256 * MIB
JSON = "application/json"
BOUNDARY = "between-the-parts"
FORM = f"multipart/form-data; boundary={BOUNDARY}"


class Client:
    """A page's cookies, and whatever body one likes."""

    def __init__(self, url: str) -> None:
        self.place = urlsplit(url).netloc
        connection = http.client.HTTPConnection(self.place, timeout=300)
        connection.request("GET", "/")
        answer = connection.getresponse()
        answer.read()
        cookies = [value.split(";")[0] for name, value in answer.getheaders() if name.lower() == "set-cookie"]
        self.headers = {"Cookie": "; ".join(cookies), "Origin": url}
        self.headers["X-CSRFToken"] = next(each.split("=")[1] for each in cookies if each.startswith("csrftoken="))

    def post(self, path: str, body: bytes, content_type: str = JSON) -> tuple[int, Any]:
        connection = http.client.HTTPConnection(self.place, timeout=300)
        try:
            connection.request("POST", f"/api/v1/{path}", body, {**self.headers, "Content-Type": content_type})
        except (BrokenPipeError, ConnectionResetError):
            # What is announced too large is refused at once, while it is still being sent.
            return 413, None
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")

    def cluster(self) -> int:
        return int(self.post("clusters/", b'{"name": "memory"}')[1]["id"])


def upload(name: str, content: bytes) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="x"\r\n\r\n'
    return head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()


def filled(begin: bytes, part: bytes, end: bytes, most: int) -> bytes:
    """As many parts as fit."""
    return begin + part * ((most - len(begin) - len(end)) // len(part)) + end


def unlike_keys(most: int) -> bytes:
    """Objects in which every key is another one: what takes the most memory for its length."""
    parts: list[bytes] = []
    length = 0
    while length < most - 100:
        parts.append(b'{"%x":{}}' % len(parts))
        length += len(parts[-1]) + 1
    return b'{"kind":"create","objects":[' + b",".join(parts) + b"]}"


ALMOST_JSON, ALMOST_FILE = limits.JSON_BYTES - 1000, limits.IMPORT_BYTES - 1000
GRIN = "\N{GRINNING FACE}".encode()
ALIASES = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (letter + 1, letter + 1, b",".join([b"*%c" % letter] * 9)) for letter in range(97, 121)
)
ATTACKS: list[tuple[str, str, Callable[[], bytes], str, int]] = [
    # name, path, body, content type, status
    ("a list for text", "import", lambda: filled(b'{"text":[', b"{},", b"{}]}", ALMOST_JSON), JSON, 400),
    ("the same, and larger", "import", lambda: filled(b'{"text":[', b"{},", b"{}]}", 47 * MIB), JSON, 413),
    ("lists in lists", "import", lambda: filled(b'{"text":[', b"[[]],", b"[]]}", ALMOST_JSON), JSON, 400),
    ("keys unlike each other", "commands", lambda: unlike_keys(ALMOST_JSON), JSON, 400),
    ("as many of them as may be", "commands", lambda: unlike_keys(2_000_000), JSON, 202),
    ("one wide text", "import", lambda: filled(b'{"text":"' + GRIN, b"x", b'"}', ALMOST_JSON), JSON, 400),
    (
        "a wide text of escapes",
        "import",
        lambda: filled(b'{"text":"' + GRIN, b"\\u4e00", b'"}', ALMOST_JSON),
        JSON,
        400,
    ),
    ("a text that does not end", "commands", lambda: filled(b'{"kind":"', b'\\"', b"", ALMOST_JSON), JSON, 400),
    ("a file of nothing", "import", lambda: upload("file", filled(b'{"a":[', b"{},", b"{}]}", ALMOST_FILE)), FORM, 400),
    (
        "a file of YAML lists",
        "import",
        lambda: upload("file", filled(b"", b"- [[],[]]\n", b"", ALMOST_FILE)),
        FORM,
        400,
    ),
    ("a scenario of nothing", "import", lambda: upload("file", scenario()), FORM, 400),
    ("aliases of aliases", "import", lambda: upload("file", ALIASES), FORM, 400),
    ("a bomb", "import", lambda: upload("nodes_csv", gzip.compress(b"name\n" + b"n," * (64 * MIB))), FORM, 400),
    ("a folder of as many files as may be", "import", lambda: folder(limits.IMPORT_FILES), FORM, 200),
    ("as many that lie on no disk", "import", lambda: folder(47), FORM, 200),
    ("one file more", "import", lambda: folder(limits.IMPORT_FILES + 1), FORM, 400),
    ("a folder for commands", "commands", lambda: folder(10, 1 << 20), FORM, 415),
    ("a field instead of a file", "import", lambda: field(17 * MIB), FORM, 400),
]


def folder(files: int, most: int = ALMOST_FILE) -> bytes:
    """Files of the same length, each of an object with a long text; all together as large as may be."""
    length = most // files - 400
    body = b""
    for number in range(files):
        name = f"d/{number}.yaml"
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{number}.yaml"\r\n\r\n'
        begin = f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: p-{number}\n  annotations:\n    a: {name}".encode()
        end = b"\nspec:\n  containers: [{name: c}]\n"
        body += head.encode() + begin + b"x" * (length - len(begin) - len(end)) + end + b"\r\n"
    paths = json.dumps([f"d/{number}.yaml" for number in range(files)])
    return body + upload_field("paths", paths) + upload_field("dry_run", "true") + f"--{BOUNDARY}--\r\n".encode()


def upload_field(name: str, text: str) -> bytes:
    return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'.encode()


def scenario() -> bytes:
    head = b'{"apiVersion":"kube-scheduler-playground/v1","kind":"Scenario","commands":['
    return filled(head, b"[],", b"[]]}", ALMOST_FILE)


def field(length: int) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="text"\r\n\r\n'
    return head.encode() + b"x" * length + f"\r\n--{BOUNDARY}--\r\n".encode()


def peak(process: psutil.Process) -> int:
    """The most memory that the process has had since `forget_peak`."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def forget_peak(process: psutil.Process) -> int:
    """The memory that it has now."""
    Path(f"/proc/{process.pid}/clear_refs").write_text("5")
    return peak(process)


@pytest.fixture(scope="module")
def client(playground_server: Playground) -> Client:
    return Client(playground_server.url)


@pytest.fixture(scope="module")
def served(playground_server: Playground) -> Iterator[psutil.Process]:
    """The process that answers everybody."""
    process = playground_server.find("playground.local.web_process")
    assert process is not None
    yield process
    assert process.is_running()


@pytest.mark.parametrize(("name", "path", "body", "content_type", "status"), ATTACKS, ids=[case[0] for case in ATTACKS])
def test_a_request(
    client: Client,
    served: psutil.Process,
    name: str,
    path: str,
    body: Callable[[], bytes],
    content_type: str,
    status: int,
) -> None:
    cluster = client.cluster()
    sent = body()
    before = forget_peak(served)
    found, answer = client.post(f"clusters/{cluster}/{path}/", sent, content_type)
    assert (found, peak(served) - before < MOST) == (status, True), (answer, (peak(served) - before) // MIB)


def test_many_at_once(client: Client, served: psutil.Process) -> None:
    cluster = client.cluster()
    body = filled(b'{"text":[', b"{},", b"{}]}", ALMOST_JSON)
    before = forget_peak(served)
    senders = [threading.Thread(target=client.post, args=(f"clusters/{cluster}/import/", body)) for _ in range(12)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert peak(served) - before < MOST
