"""Heavy work on what strangers hand in, done in a process that ends with it.

What a text or a file comes to in memory and time shows only when it is read. So it is read apart: under limits of its
own for memory and time, of which the kernel takes care, and a process that serves others only waits. See
docs/security.md.
"""

from playground.apart.calling import Budget as Budget
from playground.apart.calling import File as File
from playground.apart.calling import call as call
