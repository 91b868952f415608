"""The last module that the fork server imports: it lowers the priority of all sandboxed work, so that pages come first.

The import of the other modules keeps the normal priority, because a client waits for it.
"""

import os

NICENESS = 5

os.nice(NICENESS)
