"""Rules that hold for upstream's objects hold here, and none of them needs too much work.

`upstream/unsupported_rules.txt`: the rules that the evaluating library can't evaluate, or evaluates in another way.
Upstream's runtime costs in these rows aren't calculated: `kube_objects.cel.work` bounds the library's work instead.
"""

from pathlib import Path

from kube_apiserver.custom import rules
from tests.core.cel.rows import read

UNSUPPORTED = Path(__file__).with_name("upstream") / "unsupported_rules.txt"


def test_rules_of_upstream() -> None:
    broken, count = set[str](), 0
    for row in read("runtime_costs"):
        for rule in row["costs"]:
            count += 1
            schema = {**row["schema"], "x-kubernetes-validations": [{"rule": rule}]}
            causes = list(rules.problems(row["object"], None, schema))
            assert not any("cost" in cause["message"] for cause in causes)
            if causes:
                broken.add(f"{row['name']}: {rule}")
    assert count == 329
    assert broken == set(UNSUPPORTED.read_text("utf-8").splitlines())
