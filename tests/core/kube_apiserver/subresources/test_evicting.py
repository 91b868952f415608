"""The Eviction API: what its refusals say."""

from datetime import UTC, datetime
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import evicting

NOW = datetime(2026, 1, 1, tzinfo=UTC)
REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."
NEEDS_TWO = "The disruption budget web needs 2 healthy pods and has 2 currently"
NOT_NOW = "The disruption budget web does not allow evicting pods currently"


def condition(reason: str, message: str) -> dict[str, Any]:
    return {"type": "DisruptionAllowed", "status": "False", "reason": reason, "message": message}


# Source: checkAndDecrement
REFUSALS: list[tuple[str, dict[str, Any], str, str]] = [
    # name, status, message, cause
    (
        "none left",
        {"currentHealthy": 2, "desiredHealthy": 2},
        REFUSED,
        "The disruption budget web needs 2 healthy pods and has 2 currently",
    ),
    ("enough are healthy", {"currentHealthy": 3, "desiredHealthy": 2}, REFUSED, NOT_NOW),
    (
        "its sync failed",
        {"conditions": [condition("SyncFailed", "no controller")]},
        REFUSED,
        f"{NOT_NOW} because it failed sync: no controller",
    ),
    (
        "another condition",
        {"currentHealthy": 3, "desiredHealthy": 2, "conditions": [condition("InsufficientPods", "wait")]},
        REFUSED,
        f"{NOT_NOW} (InsufficientPods): wait",
    ),
    (
        "a negative number",
        {"disruptionsAllowed": -1},
        'poddisruptionbudget.policy "web" is forbidden: pdb disruptions allowed is negative',
        "",
    ),
]


@pytest.mark.parametrize(
    ("status", "message", "cause"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS]
)
def test_refusals(status: dict[str, Any], message: str, cause: str) -> None:
    with pytest.raises(ApiError) as caught:
        evicting.spent({"metadata": {"name": "web"}, "status": status}, "web-0", NOW)
    causes = caught.value.status["details"].get("causes") or [{"message": ""}]
    assert (str(caught.value), causes[0]["message"]) == (message, cause)
