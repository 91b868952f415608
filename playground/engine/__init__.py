"""Workers that apply the queued commands of clusters and commit their records.

The worker's loop, from a queued command to its committed records:

1. Trigger: `triggers.trigger_commands` sends the Celery task `playground.tasks.apply_commands` for a cluster.
2. Pass on: the task sends the trigger to another process that may have the cluster in memory
   (`worker_turns.may_be_in_another_process`).
3. Choose: serve the waiting cluster whose owner had the least worker time (`fairness.choose_cluster`).
4. Lease: take the cluster's lease (`leases.acquire`) and renew it in a thread (`lease_renewal.LeaseRenewal`).
5. Load: get the simulation from memory or from a checkpoint (`loaded_clusters.load`).
6. Begin: mark the next command as running (`commits.mark_running`) and start it (`command_records.begin_command`).
7. Take: take a batch of the command's records from the engine (`command_records.take_batch`). In a long step, the
   engine calls `session_control.SessionControl.interrupt_or_yield`, which gives waiting clusters a turn.
8. Commit: store the batch in one transaction that checks the lease (`commits.commit_records`).
9. Publish: send the stored records to the event stream (`playground/news/publisher.py`).
10. Repeat steps 7 to 9, with checkpoints (`checkpoints.save_checkpoint`) and pauses (`session_control`) in between,
    then step 6 with the next command.
11. Release: release the lease when no command is queued, the worker shuts down, or the turn is over
    (`leases.release_when_done`), and keep the simulation in memory (`loaded_clusters.keep_in_memory`).
12. Trigger again: wake a worker for commands that are left, and for the next waiting cluster
    (`fairness.choose_next_cluster`).

`command_runner.apply_commands` does steps 4 to 11, `worker_session.WorkerSession` steps 5 to 11.
A worker may be killed at any step: the next worker repeats uncommitted work and gets the same records.
"""
