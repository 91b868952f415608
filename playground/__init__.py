"""The Django project: it stores clusters, accepts commands and returns records; `scheduler_core` decides."""

import sys
from types import ModuleType

# The CEL library imports its command line together with itself: typer, rich and prompt_toolkit, which take 14 MB of
# memory and 0.12 s of CPU in every process. The library uses nothing of it.
sys.modules.setdefault("cel.cli", ModuleType("cel.cli"))
