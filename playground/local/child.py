"""Replace this process by a program that ends with its parent: `python child.py PARENT_PID program arguments…`.

The supervisor starts this file by path and without site-packages, because that takes only 15 ms. The kernel keeps the
parent-death signal across exec. Only Linux has the signal; elsewhere the supervisor stops its children itself.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Make the kernel kill this process when its parent process (`parent`, a process ID) ends for any reason."""
    if not sys.platform.startswith("linux"):
        return
    # SIGKILL, because a worker that handles SIGTERM would first finish its task.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def main() -> None:
    die_with_parent(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
