from typing import Any

import numpy as np
import pytest

from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.plugins.image_locality.plugin import ImageLocality, normalized_image_name
from tests.conformance.testing import NodeBuilder, PodBuilder, make_node, make_pod
from tests.core.plugins.plugin_calls import TableHandle, cluster, scored

MB = 1024 * 1024


def plugin(nodes: Nodes) -> ImageLocality:
    handle: Any = TableHandle(nodes)
    return ImageLocality.create(None, handle)


def nodes(*images: tuple[int, str]) -> list[NodeBuilder]:
    """The first node has the images (size in MiB), the second has none."""
    first = make_node("a")
    for size, *names in images:
        first.image(size * MB, *names)
    return [first, make_node("b")]


def pod(*images: str, init: tuple[str, ...] = ()) -> PodBuilder:
    containers = [{"name": f"c{i}", "image": image} for i, image in enumerate(images)]
    init_containers = [{"name": f"i{i}", "image": image} for i, image in enumerate(init)]
    return make_pod("p").spec(containers=containers, initContainers=init_containers)


@pytest.mark.parametrize(
    ("name", "images", "wanted", "want"),
    [
        ("half of 1000 MiB, as half of the nodes have it", [(1000, "app:v1")], pod("app:v1"), 48),
        ("too small to count", [(46, "app:v1")], pod("app:v1"), 0),
        ("just large enough", [(66, "app:v1")], pod("app:v1"), 1),
        ("no more than 1000 MiB a container", [(9000, "app:v1")], pod("app:v1"), 100),
        ("another tag", [(1000, "app:v1")], pod("app:v2"), 0),
        ("latest unless tagged", [(1000, "app:latest")], pod("app"), 48),
        ("a container without it halves the score", [(1000, "app:v1")], pod("app:v1", "other:v1"), 24),
        ("an image used twice counts twice", [(1000, "app:v1")], pod("app:v1", "app:v1"), 49),
        ("init containers count", [(1000, "app:v1")], pod("other:v1", init=("app:v1",)), 24),
        ("any of its names", [(1000, "x:v1", "app@sha256:aa")], pod("app@sha256:aa"), 48),
    ],
)
def test_score(name: str, images: list[tuple[int, str]], wanted: PodBuilder, want: int) -> None:
    view = cluster(nodes(*images))
    assert scored(plugin(view), wanted.build(), view) == [want, 0]


def test_all_nodes_count_for_the_spread_of_an_image_not_only_the_scored_ones() -> None:
    view = cluster([*nodes((1023, "app:v1")), make_node("c"), make_node("d")])
    score = plugin(view).score(CycleState(), pod("app:v1").build(), view.take(np.array([0, 3])))
    assert score.tolist() == [23, 0]


def test_an_image_has_the_size_that_its_first_node_said() -> None:
    """Upstream's quirk: one size for all nodes, kept until no node has the image."""
    view = cluster([make_node("a").image(600 * MB, "app:v1"), make_node("b").image(900 * MB, "app:v1")])
    wanted = pod("app:v1").build()
    assert scored(plugin(view), wanted, view) == [59, 59]
    view.table.remove_node("a")
    view = Nodes(view.table)
    assert scored(plugin(view), wanted, view) == [59]
    view.table.update_node(make_node("b").build())
    assert scored(plugin(view), wanted, view) == [0]
    view.table.update_node(make_node("b").image(900 * MB, "app:v1").build())
    assert scored(plugin(view), wanted, view) == [89]


def test_images_come_and_go_with_their_nodes() -> None:
    view = cluster([make_node("a").image(1000 * MB, "app:v1"), make_node("b").image(1000 * MB, "app:v1")])
    wanted = pod("app:v1").build()
    assert scored(plugin(view), wanted, view) == [100, 100]
    view.table.update_node(make_node("a").build())
    assert scored(plugin(view), wanted, view) == [0, 48]
    view.table.add_node(make_node("c").image(1000 * MB, "app:v1").build())
    view = Nodes(view.table)
    assert scored(plugin(view), wanted, view) == [0, 65, 65]


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("app", "app:latest"),
        ("app:v1", "app:v1"),
        ("host:5000/app", "host:5000/app:latest"),
        ("host:5000/app:v1", "host:5000/app:v1"),
        ("app@sha256:aa", "app@sha256:aa"),
        ("", ":latest"),
    ],
)
def test_normalized_image_name(name: str, want: str) -> None:
    assert normalized_image_name(name) == want
