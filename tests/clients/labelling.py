"""An operator: a pod that is bound gets a label with its node. `test_kopf.py` runs it."""

from typing import Any

import kopf


@kopf.on.event("pods")
def bound(spec: Any, labels: Any, patch: Any, **_: Any) -> None:
    node = spec.get("nodeName")
    if node and labels.get("bound-to") != node:
        patch.metadata.labels["bound-to"] = node
