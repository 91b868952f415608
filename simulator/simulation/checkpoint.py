"""Checkpoints: the whole state of a simulation as JSON, to be read back exactly; compressed, or for others to pack."""

import json
import zlib
from collections.abc import Mapping
from typing import Any, TypeVar

from kube_controllers.hashing import PLAIN
from kube_objects.text.compact import compact
from scheduler_core.emulations import EMULATIONS
from simulator.simulation.texts import parsed, was_read
from simulator.simulation.timeline import Timeline

AnyTimeline = TypeVar("AnyTimeline", bound=Timeline)

VERSION = 2
_COMPRESSION = 1


class CheckpointError(ValueError):
    """The bytes are no checkpoint that this version can read."""


def write(simulation: Timeline) -> bytes:
    """As `read` takes it, compressed."""
    return zlib.compress(write_plain(simulation), _COMPRESSION)


def write_plain(simulation: Timeline) -> bytes:
    """The JSON, which `read` takes as well."""
    cluster = simulation.cluster
    random_version, random_state, gauss = cluster.random.getstate()
    data = {
        "version": VERSION,
        "seq": simulation.seq,
        "cycle": simulation.cycle,
        "seed": simulation.seed,
        "firstSeed": simulation.first_seed,
        "config": simulation.config_text,
        "emulates": simulation.emulation.version,
        "now": cluster.now,
        "epoch": cluster.node_epoch,
        "futile": sorted(simulation.futile),
        "failNextBinding": cluster.fail_next_binding,
        "outages": cluster.outages.dump(),
        "random": [random_version, list(random_state), gauss],
        "startNode": cluster.scheduler.pods.next_start_node_index,
    }
    rest: dict[str, Any] = {"cache": cluster.cache.dump(), "queue": cluster.queue.dump(_no_event_objects)}
    if cluster.life is not None:
        rest["life"] = cluster.life.dump()
    if simulation.ends is not None:
        rest["ends"] = simulation.ends
    if simulation.passing is not None:
        rest["passing"] = [simulation.passing, simulation.attempting]
    # Objects are nearly all of it: they are copied but once.
    given, objects = simulation.texts.of(simulation.given, list(cluster.store))
    head, tail = compact(data)[:-1].encode(), compact(rest)[1:].encode()
    return b"".join([head, b',"given":[', *_listed(given), b'],"objects":[', *_listed(objects), b"],", tail])


def _listed(texts: list[bytes]) -> list[bytes]:
    """With commas between them."""
    found = [b","] * max(2 * len(texts) - 1, 0)
    found[::2] = texts
    return found


def _no_event_objects(obj: Any) -> Any:
    """Events are kept only for pods in flight, and none is between two records."""
    raise AssertionError("a checkpoint was taken in the middle of an attempt")


def read(cls: type[AnyTimeline], data: bytes, options: Mapping[str, Any]) -> AnyTimeline:
    """A simulation of class `cls` in the state of the checkpoint `data`."""
    try:
        state = json.loads(data if data.startswith(b"{") else zlib.decompress(data))
        version = state["version"]
    except (ValueError, KeyError, zlib.error) as error:
        raise CheckpointError(f"not a checkpoint: {error}") from error
    if version != VERSION:
        raise CheckpointError(f"version {version} of the checkpoint is not {VERSION}")
    emulation = EMULATIONS.get(state["emulates"])
    if emulation is None:
        raise CheckpointError(f"the checkpoint emulates {state['emulates']}, which is not known here")
    if "life" in state:
        options = {**options, "actors": state["life"]["actors"], "hashes": state["life"].get("hashes", PLAIN)}
    simulation = cls(seed=state["seed"], config=state["config"], emulation=emulation, **options)
    simulation.seq, simulation.cycle, simulation.first_seed = state["seq"], state["cycle"], state["firstSeed"]
    cluster = simulation.cluster
    for entry in state["given"]:
        obj = parsed(entry)
        simulation.given[obj.kind, obj.key] = obj
    for entry in state["objects"]:
        cluster.store.put(simulation.given[entry[0], entry[1]] if isinstance(entry, list) else parsed(entry))
    was_read(cluster.store.size)
    pods = {pod.uid: pod for pod in cluster.store.list("Pod")}
    cluster.cache.load(state["cache"], {node.name: node for node in cluster.store.list("Node")}, pods)
    cluster.know_groups()
    cluster.now, cluster.node_epoch = state["now"], state["epoch"]
    simulation.futile = set(state["futile"])
    simulation.ends = state.get("ends")
    simulation.passing, simulation.attempting = state.get("passing", (None, False))
    cluster.fail_next_binding = state["failNextBinding"]
    cluster.outages.load(state["outages"])
    random_version, random_state, gauss = state["random"]
    cluster.random.setstate((random_version, tuple(random_state), gauss))
    cluster.scheduler.pods.next_start_node_index = state["startNode"]
    cluster.queue.load(state["queue"], pods, lambda obj: obj)
    if cluster.life is not None:
        cluster.life.load(state["life"], cluster.store)
    return simulation
