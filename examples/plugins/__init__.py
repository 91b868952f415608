"""Out-of-tree plugins of docs/adding_a_plugin.md. The playground knows them; no profile enables them by default."""

from examples.plugins.gang import Gang
from examples.plugins.rack import Rack

PLUGINS = (Gang, Rack)
