"""Rows of upstream's tables at Kubernetes v1.36.2, as its tests computed them.

`estimates_of_schemas`: TestCostEstimation in apiextensions-apiserver, pkg/apiserver/schema/cel/compilation_test.go.
`estimated_costs`, `runtime_costs`: TestCelEstimatedCostStability and TestCelCostStability in celcoststability_test.go
beside it. `library_costs`: apiserver, pkg/cel/library/cost_test.go. `definitions`:
TestValidateCustomResourceDefinitionValidation in apiextensions-apiserver,
pkg/apis/apiextensions/validation/validation_test.go: the rows with rules, and their errors about costs and `oldSelf`.
`device_selectors`: dynamic-resource-allocation, cel/compile_test.go, without the gate DRAListTypeAttributes.
"""

import json
from pathlib import Path
from typing import Any


def read(name: str) -> list[Any]:
    """Return the rows of a table."""
    text = (Path(__file__).with_name("upstream") / f"{name}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]
