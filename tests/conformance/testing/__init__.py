"""Builders of objects for tests, examples and documentation: `make_pod("web").cpu("500m").build()`."""

from tests.conformance.testing.nodes import NodeBuilder, make_node
from tests.conformance.testing.pods import PodBuilder, make_pod

__all__ = ["NodeBuilder", "PodBuilder", "make_node", "make_pod"]
