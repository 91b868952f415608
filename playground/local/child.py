"""Becomes another program that cannot outlive its parent: `python child.py PARENT_PID program arguments…`.

Started by path and without site-packages, so that the detour costs about 15 ms. The kernel keeps the parent-death
signal across exec. Only Linux has it; elsewhere the supervisor's own clean-up is all there is.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent`, the process that started it, dies, however that happens."""
    if not sys.platform.startswith("linux"):
        return
    # It must not be a signal that can be handled: a worker told to terminate would first finish its task.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def main() -> None:
    die_with_parent(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
