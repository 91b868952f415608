"""Parts of a pod's status as Go's encoder writes them: with every field that its types cannot do without.

What the page, an import or a simulated kubelet writes may lack them, and strict clients refuse an object without.
"""

from collections.abc import Mapping
from typing import Any

_CONTAINERS = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
_CONTAINER: Mapping[str, Any] = {"name": "", "ready": False, "restartCount": 0, "image": "", "imageID": ""}


def pod_status(status: Mapping[str, Any]) -> dict[str, Any]:
    found = {"phase": "Pending", **status}
    for name in _CONTAINERS:
        if each := found.get(name):
            found[name] = [{**_CONTAINER, **one} for one in each]
    return found
