"""Out-of-tree plugins of docs/contributing/write-a-plugin.md. No profile enables them by default."""

from examples.plugins.gang import Gang
from examples.plugins.rack import Rack

PLUGINS = (Gang, Rack)
