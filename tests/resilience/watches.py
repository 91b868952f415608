"""Watches by clients of the Kubernetes API, which must see each change exactly once despite lost connections.

An informer works as client-go's reflector: it lists by pages, watches from there, continues at the last received
version, and lists again if the server no longer has that version.
"""

import json
import random
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import httpx
import yaml

from tests.resilience.client import Client
from tests.services import until, wait_for

Object = dict[str, Any]
PAGE = 7
# A stream that says nothing for so long has lost its server; one that breaks off says so at once.
SILENCE_SECONDS = 10.0
CONNECT_SECONDS = 5.0
# After how many events a client breaks off by itself; the last is never reached.
BREAKS = (1, 2, 3, 5, 8, 10_000)
RESOURCES = ("api/v1/pods", "api/v1/nodes", "api/v1/events")
# Until an informer has what is stored: a new connection, or the look that the server takes every second.
PATIENCE_SECONDS = 60.0


class BrokenOffError(Exception):
    """Raised if the client itself closes the connection."""


class Informer:
    """A client that follows one kind of one cluster until it is closed.

    `rng` chooses after how many events it disconnects.
    """

    def __init__(self, urls: list[str], cluster: int, resource: str, headers: Mapping[str, str], seed: str) -> None:
        self.resource = resource
        self.objects: dict[str, Object] = {}
        self.version = ""
        self.complaints: list[str] = []
        # Since the last list: type, key and version of each event.
        self.heard: list[tuple[str, str, str]] = []
        self.lists = self.connections = 0
        self._began = ""
        self._places = [f"{url}/k8s/{cluster}/{resource}" for url in urls]
        self._headers = dict(headers)
        self._rng = random.Random(seed)
        self._turn = self._rng.randrange(len(urls))
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """Stop as soon as the watch sends something, or ends."""
        self._over.set()

    def close(self) -> None:
        self._thread.join(2 * SILENCE_SECONDS)

    def check(self) -> list[str]:
        """Return the errors in its objects and events once nothing changes any more."""
        with httpx.Client(timeout=SILENCE_SECONDS) as http:
            place = wait_for(lambda: self._answering(http), "a server that answers", PATIENCE_SECONDS)
            wanted, _ = listed(http, place, self._headers)
            until(lambda: self.objects == wanted, PATIENCE_SECONDS)
            found = [*self.complaints]
            if self.objects != wanted:
                differ = [key for key in wanted | self.objects if wanted.get(key) != self.objects.get(key)]
                found.append(f"{self.resource}: other than listed: {differ[:5]}")
            heard, again = list(self.heard), list[tuple[str, str, str]]()
            # A watch that finds its broker or database just gone ends at once: it is begun anew, as by any client.
            until(lambda: self._replay(http, place, len(heard), again), PATIENCE_SECONDS)
            if heard != again:
                found.append(f"{self.resource}: heard {_first_other(heard, again)} of a watch from its list on")
        return found

    def _answering(self, http: httpx.Client) -> str:
        """Wait for an answer, because a server that was killed late in a round may not be back yet."""
        for place in self._places:
            with suppress(httpx.TransportError):
                http.get(place, params={"limit": "1"}, headers=self._headers)
                return place
        return ""

    def _replay(self, http: httpx.Client, place: str, most: int, found: list[tuple[str, str, str]]) -> bool:
        """Collect up to `most` events of a watch from its list on; return True if there were so many."""
        query = {"watch": "1", "resourceVersion": self._began, "timeoutSeconds": "1"}
        found.clear()
        if not most:
            return True
        with http.stream("GET", place, params=query, headers=self._headers) as answer:
            for line in answer.iter_lines():
                event = json.loads(line)
                found.append((event["type"], _key(event["object"]), event["object"]["metadata"]["resourceVersion"]))
                # More than were heard would have led to other objects.
                if len(found) == most:
                    return True
        return False

    @property
    def _place(self) -> str:
        return self._places[self._turn % len(self._places)]

    def _run(self) -> None:
        with httpx.Client(timeout=httpx.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS)) as http:
            while not self._over.is_set():
                try:
                    if not self.version:
                        self._list(http)
                    self._watch(http)
                except (httpx.HTTPError, BrokenOffError, json.JSONDecodeError):
                    # A line that was cut off was not heard.
                    self._turn += 1
                    self._over.wait(0.05)

    def _list(self, http: httpx.Client) -> None:
        self.objects, self.version = listed(http, self._place, self._headers)
        self._began = self.version
        self.heard = []
        self.lists += 1

    def _watch(self, http: httpx.Client) -> None:
        query = {"watch": "1", "resourceVersion": self.version, "allowWatchBookmarks": "true", "timeoutSeconds": "2"}
        breaks_after = self._rng.choice(BREAKS)
        with http.stream("GET", self._place, params=query, headers=self._headers) as answer:
            if answer.status_code != 200:
                raise httpx.HTTPError(f"{answer.status_code}")
            self.connections += 1
            for number, line in enumerate(answer.iter_lines(), 1):
                if self._over.is_set() or not self._take(json.loads(line)):
                    return
                if number == breaks_after:
                    raise BrokenOffError

    def _take(self, event: Object) -> bool:
        """Process an event; return True if the watch continues."""
        kind, value = event["type"], event["object"]
        if kind == "ERROR":
            if value["code"] != 410:
                self.complaints.append(f"{self.resource}: {value}")
            self.version = ""
            return False
        version = value["metadata"]["resourceVersion"]
        if kind != "BOOKMARK":
            self._change(kind, _key(value), value)
            if int(version) <= int(self.version):
                self.complaints.append(f"{self.resource}: {kind} {_key(value)} at {version} came after {self.version}")
        self.version = version
        return True

    def _change(self, kind: str, key: str, value: Object) -> None:
        self.heard.append((kind, key, value["metadata"]["resourceVersion"]))
        known = self.objects.get(key)
        if (kind == "ADDED") != (known is None):
            self.complaints.append(f"{self.resource}: {kind} {key}, which was {'not ' * (known is None)}there")
        after = {name: each for name, each in self.objects.items() if name != key}
        # In one go: others compare it.
        self.objects = after if kind == "DELETED" else {**after, key: value}


def listed(http: httpx.Client, place: str, headers: Mapping[str, str]) -> tuple[dict[str, Object], str]:
    """Return all objects by their keys, and the version of the list, read by pages of one snapshot."""
    found: dict[str, Object] = {}
    more, version = "", ""
    while True:
        query = {"limit": str(PAGE), **({"continue": more} if more else {})}
        answer = http.get(place, params=query, headers=headers)
        if answer.status_code != 200:
            raise httpx.HTTPError(f"{answer.status_code}")
        page = answer.json()
        head = {name: page[name] for name in ("apiVersion",)} | {"kind": page["kind"].removesuffix("List")}
        found |= {_key(each): {**head, **each} for each in page["items"]}
        version, more = page["metadata"]["resourceVersion"], page["metadata"].get("continue", "")
        if not more:
            return found, version


def _key(value: Object) -> str:
    metadata = value["metadata"]
    return f"{metadata.get('namespace', '')}/{metadata['name']}"


def _first_other(got: list[Any], wanted: list[Any]) -> str:
    place = next((n for n, pair in enumerate(zip(got, wanted, strict=False)) if pair[0] != pair[1]), None)
    if place is None:
        return f"{len(got)} events instead of the {len(wanted)}"
    return f"as event {place} {got[place]} instead of {wanted[place]}"


@contextmanager
def following(client: Client, cluster: int, headers: Mapping[str, str], seed: str) -> Iterator[list[Informer]]:
    """Provide informers of the cluster that have listed its objects."""
    informers = [Informer(client.urls, cluster, each, headers, f"{seed}/{each}") for each in RESOURCES]
    try:
        assert until(lambda: all(each.lists for each in informers), PATIENCE_SECONDS), "the informers could not list"
        yield informers
    finally:
        for each in informers:
            each.leave()
        for each in informers:
            each.close()


def access(client: Client, cluster: int, needs_token: bool) -> dict[str, str]:
    """Return the headers of a client that may read the cluster."""
    if not needs_token:
        return {}
    config = yaml.safe_load(client.post(f"clusters/{cluster}/tokens/", {"role": "view"})["kubeconfig"])
    return {"Authorization": f"Bearer {config['users'][0]['user']['token']}"}
