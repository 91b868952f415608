"""Write the whole state of a simulation as JSON, and restore it exactly."""

import json
import zlib
from collections.abc import Mapping
from typing import Any, TypeVar

from kube_controllers.hashing import PLAIN
from kube_objects.text.compact import compact
from scheduler_core.emulations import EMULATIONS
from simulator.simulation.texts import limit_parse_cache, parse_cached
from simulator.simulation.timeline import Timeline

AnyTimeline = TypeVar("AnyTimeline", bound=Timeline)

VERSION = 2
_COMPRESSION = 1


class CheckpointError(ValueError):
    """An error about bytes that are no checkpoint, or one of another format."""


def write(simulation: Timeline) -> bytes:
    """Return the compressed checkpoint of a simulation."""
    return zlib.compress(write_plain(simulation), _COMPRESSION)


def write_plain(simulation: Timeline) -> bytes:
    """Return the checkpoint as uncompressed JSON, which `read` accepts, too."""
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
        "futile": sorted(simulation.unschedulable_groups),
        "failNextBinding": cluster.fail_next_binding,
        "outages": cluster.outages.dump(),
        "random": [random_version, list(random_state), gauss],
        "startNode": cluster.scheduler.pods.next_start_node_index,
    }
    rest: dict[str, Any] = {"cache": cluster.cache.dump(), "queue": cluster.queue.dump(_no_event_objects)}
    if cluster.controllers is not None:
        rest["life"] = cluster.controllers.dump()
    if simulation.run_end is not None:
        rest["ends"] = simulation.run_end
    if simulation.advance_target is not None:
        rest["passing"] = [simulation.advance_target, simulation.attempting]
    # Most of the bytes are objects, so one join copies each of their texts once.
    submitted, objects = simulation.texts.encode(simulation.submitted, list(cluster.store))
    head, tail = compact(data)[:-1].encode(), compact(rest)[1:].encode()
    parts = [head, b',"given":[', *_with_commas(submitted), b'],"objects":[', *_with_commas(objects), b"],", tail]
    return b"".join(parts)


def _with_commas(texts: list[bytes]) -> list[bytes]:
    parts = [b","] * max(2 * len(texts) - 1, 0)
    parts[::2] = texts
    return parts


def _no_event_objects(obj: Any) -> Any:
    """Raise AssertionError: the queue stores Events only for pods in flight, and between two records there is none."""
    raise AssertionError("a checkpoint was taken in the middle of an attempt")


def read(cls: type[AnyTimeline], data: bytes, options: Mapping[str, Any]) -> AnyTimeline:
    """Return a simulation of class `cls` in the state of the checkpoint `data`. Raise CheckpointError.

    1. Decompress and parse the JSON; check its format and version of kube-scheduler.
    2. Create a simulation with its seed and configuration.
    3. Load the objects, the cache, the clock, the random state, the queue and the work queues of controllers.
    """
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
        obj = parse_cached(entry)
        simulation.submitted[obj.kind, obj.key] = obj
    for entry in state["objects"]:
        cluster.store.put(simulation.submitted[entry[0], entry[1]] if isinstance(entry, list) else parse_cached(entry))
    limit_parse_cache(cluster.store.size)
    pods = {pod.uid: pod for pod in cluster.store.list("Pod")}
    cluster.cache.load(state["cache"], {node.name: node for node in cluster.store.list("Node")}, pods)
    cluster.load_pod_groups()
    cluster.now, cluster.node_epoch = state["now"], state["epoch"]
    simulation.unschedulable_groups = set(state["futile"])
    simulation.run_end = state.get("ends")
    simulation.advance_target, simulation.attempting = state.get("passing", (None, False))
    cluster.fail_next_binding = state["failNextBinding"]
    cluster.outages.load(state["outages"])
    random_version, random_state, gauss = state["random"]
    cluster.random.setstate((random_version, tuple(random_state), gauss))
    cluster.scheduler.pods.next_start_node_index = state["startNode"]
    cluster.queue.load(state["queue"], pods, lambda obj: obj)
    if cluster.controllers is not None:
        cluster.controllers.load(state["life"], cluster.store)
    return simulation
