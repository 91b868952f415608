"""Work on untrusted input in a subprocess that ends with it.

The memory and time that a text or a file needs show only while it is read. So a subprocess reads it under limits that
the kernel enforces, and the web process only waits. See docs/explanation/security.md.
"""

from playground.sandbox.sandbox_call import CallLimits as CallLimits
from playground.sandbox.sandbox_call import FileArgument as FileArgument
from playground.sandbox.sandbox_call import call_in_sandbox as call_in_sandbox
