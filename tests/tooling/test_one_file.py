"""A new command is one file: it is added to a copy of the tree, and everything that speaks of commands has it.

The copy's other files are the tree's own. It is looked at by a process of its own, as what lists the commands does so
when it is loaded.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = Path("simulator/simulation/commands/nodes.py")
ADDED = '''
from simulator.simulation.commands.fields import Choice


def taint(cluster: SimulatedCluster, payload: Payload) -> CarryOut:
    """As `kubectl taint nodes`: in the place of one with this key and effect."""
    name = _tainted(cluster, payload).name

    def carry_out() -> tuple[str, RecordFields]:
        node, tainted = _get_node(cluster, payload), _tainted(cluster, payload)
        if node.taints != tainted.taints:
            cluster.put(tainted)
        return _node_record("taint", name, changed=node.taints != tainted.taints)

    return carry_out


def _tainted(cluster: SimulatedCluster, payload: Payload) -> Node:
    manifest = manifest_of(_get_node(cluster, payload))
    spec = dict(manifest.get("spec") or {})
    new = {"key": payload["taint"], "value": payload.get("value", ""), "effect": payload["effect"]}
    others = [one for one in spec.get("taints") or () if (one["key"], one["effect"]) != (new["key"], new["effect"])]
    return parse_node({**manifest, "spec": {**spec, "taints": [*others, new]}})


COMMANDS += (
    Command(
        kind="taint",
        about="sets a taint, as `kubectl taint nodes` does",
        required={"node": Text(), "taint": Text(), "effect": Choice((NO_SCHEDULE, NO_EXECUTE))},
        optional={"value": Text()},
        prepare=one_record(taint),
        record="node",
        label=lambda given: (Template("taint {node} with {taint}"), {"node": given["node"], "taint": given["taint"]}),
        inverse=restore,
    ),
)
'''
# What the copy says, as one JSON object. Its database has today's tables, made without migrations.
LOOK = """
import json, sys
import django
django.setup()
from django.conf import settings
settings.MIGRATION_MODULES = dict.fromkeys(("playground", "auth", "contenttypes", "sessions"))
settings.ALLOWED_HOSTS = ["*"]
from django.db import connection
connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
from drf_spectacular.generators import SchemaGenerator
from simulator.simulation.commands.command import CommandError
from simulator.simulation.commands.table import check, label_of
from tests.web import Api, node
from tools import commands, messages
from playground.clusters import undo
from playground.engine import command_runner

given = json.loads(sys.argv[1])
try:
    check({**given, "effect": "Never", "colour": "red"})
except CommandError as error:
    refused = [[one.path, one.value] for one in error.problems]
operation = SchemaGenerator().get_schema(public=True)["paths"]["/api/v1/clusters/{cluster_id}/commands/"]["post"]
forms = operation["requestBody"]["content"]["application/json"]["schema"]["oneOf"]
api = Api()
cluster = api.cluster([node("a")])
before = api.get(f"clusters/{cluster}/objects/Node/a/", format="json")["spec"]
done = api.command(cluster, **given)
after = api.get(f"clusters/{cluster}/objects/Node/a/", format="json")["spec"]
can_undo = api.get(f"clusters/{cluster}/")["can_undo"]
api.post(f"clusters/{cluster}/undo/", {})
command_runner.apply_commands(cluster)
undone = api.get(f"clusters/{cluster}/objects/Node/a/", format="json")["spec"]
print(json.dumps({
    "refused": refused,
    "label": label_of(given),
    "collected": "taint {node} with {taint}" in messages.labels(),
    "row": [line for line in commands.table().splitlines() if "`taint`" in line],
    "form": [sorted(form["properties"]) for form in forms if form["title"] == "taint"],
    "done": done["state"],
    "taints": [one.get("taints") for one in (before, after, undone)],
    "can_undo": can_undo["what"],
}))
"""


def copy_of_the_tree(root: Path) -> None:
    """Links to the tree, but for the folders above the added file, and for what finds the tree by where it lies."""
    own = (*FILE.parents, Path("tools"))
    for folder in reversed(own[:-1]):
        (root / folder).mkdir()
        for entry in (ROOT / folder).iterdir():
            if folder / entry.name not in own and entry.name != "__pycache__":
                (root / folder / entry.name).symlink_to(entry)
    shutil.copytree(ROOT / "tools", root / "tools", ignore=shutil.ignore_patterns("__pycache__", "vendor"))
    (root / FILE).unlink()
    (root / FILE).write_text((ROOT / FILE).read_text(encoding="utf-8") + ADDED, encoding="utf-8")


def test_a_new_command_is_one_file(tmp_path: Path, redis_url: str) -> None:
    copy_of_the_tree(tmp_path / "tree")
    given = {"kind": "taint", "node": "a", "taint": "dedicated", "value": "db", "effect": "NoSchedule"}
    environ = {**os.environ, "DATA_DIR": str(tmp_path / "data"), "DATABASE_URL": "", "REDIS_URL": redis_url}
    done = subprocess.run(
        [sys.executable, "-c", LOOK, json.dumps(given)],
        cwd=tmp_path / "tree",
        env={**environ, "PYTHONPATH": str(tmp_path / "tree"), "DJANGO_SETTINGS_MODULE": "playground.settings"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    taint = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
    assert json.loads(done.stdout) == {
        # the checks
        "refused": [["colour", "red"], ["effect", "Never"]],
        # the words: as they are said, and for the translators
        "label": "taint a with dedicated",
        "collected": True,
        # the documentation
        "row": [
            '| `taint` | `node`, `taint`, `effect: "NoSchedule" \\| "NoExecute"`, `value?` '
            "| sets a taint, as `kubectl taint nodes` does |"
        ],
        # the schema, in the API's document
        "form": [["effect", "key", "kind", "node", "taint", "value"]],
        # the API, and what takes it back
        "done": "done",
        "taints": [None, [taint], None],
        "can_undo": "taint a with dedicated",
    }
