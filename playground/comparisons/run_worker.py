"""Execution of comparison runs: each starts from the same record, with its own configuration and seed.

Runs write nothing to the cluster. A run is deterministic, so another worker can repeat an abandoned one. Clusters that
wait for a worker come first, because their users are watching.
"""

import logging
import os
import socket

from playground import logs
from playground.comparisons import stored_runs
from playground.comparisons.run_attempt import RunAttempt
from playground.engine.lease_renewal import LeaseRenewal
from playground.engine.leases import LeaseLostError

logger = logging.getLogger(__name__)


def do_next_run() -> bool:
    """Run the next waiting run; return False if none waits."""
    lease = stored_runs.take_lease(f"{socket.gethostname()}:{os.getpid()}")
    if lease is None:
        return False
    with logs.about(cluster=lease.cluster_id):
        try:
            with LeaseRenewal(lease, stored_runs.write_run):
                RunAttempt(lease).execute()
        except LeaseLostError as lost:
            logger.info("%s", lost)
        except BaseException:
            # So that the next worker need not wait for the lease's expiry.
            stored_runs.requeue(lease)
            raise
    return True
