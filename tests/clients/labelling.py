"""An operator that labels each bound Pod with its Node. `test_kopf.py` runs it."""

from typing import Any

import kopf


@kopf.on.event("pods")
def bound(spec: Any, labels: Any, patch: Any, **_: Any) -> None:
    node = spec.get("nodeName")
    if node and labels.get("bound-to") != node:
        patch.metadata.labels["bound-to"] = node
