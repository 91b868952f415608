"""The first that is read by the process that the others are forked from: pages come before all that is done apart.

Also before its own start, which reads as many modules as the web process does at the same time.
"""

import os

NICENESS = 5

os.nice(NICENESS)
