"""Do the runs of comparisons: each from the same moment, with a configuration and a seed of its own, to its end.

Nothing of it is written to the cluster. A run is deterministic, so one that a worker left behind is simply done again.
Clusters that wait for a worker come first: somebody looks at them.
"""

import logging
import os
import socket

from playground import logs
from playground.comparisons import runs
from playground.comparisons.attempt import Attempt
from playground.engine.leases import LeaseLostError
from playground.engine.renewal import Renewal

logger = logging.getLogger(__name__)


def do_one() -> bool:
    """Take the run that waits longest and do it; False when none waits."""
    lease = runs.take(f"{socket.gethostname()}:{os.getpid()}")
    if lease is None:
        return False
    with logs.about(cluster=lease.cluster_id):
        try:
            with Renewal(lease, runs.write):
                Attempt(lease).do()
        except LeaseLostError as lost:
            logger.info("%s", lost)
        except BaseException:
            # The next worker need not wait until the lease runs out.
            runs.give_back(lease)
            raise
    return True
