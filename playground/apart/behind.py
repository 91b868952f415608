"""The last that is read by the process that the others are forked from: pages come before all that is done apart.

Not before its own start, for which somebody waits.
"""

import os

NICENESS = 5

os.nice(NICENESS)
