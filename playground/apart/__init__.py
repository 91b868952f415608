"""Work on untrusted input in a subprocess that ends with it.

The memory and time that a text or a file needs show only while it is read. So a subprocess reads it under limits that
the kernel enforces, and the web process only waits. See docs/explanation/security.md.
"""

from playground.apart.calling import Budget as Budget
from playground.apart.calling import File as File
from playground.apart.calling import call as call
