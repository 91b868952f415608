"""How large a configuration may be. kube-scheduler reads a trusted file; here the text comes from anybody."""

from kube_objects.text.limits import Limits

MAX_BYTES = 1 << 18
MAX_DEPTH = 100
MAX_VALUES = 20_000
LIMITS = Limits(bytes=MAX_BYTES, depth=MAX_DEPTH, values=MAX_VALUES)
# A profile takes some milliseconds to build, and each of these lists is gone through for every pod or node.
MAX_PROFILES = 100
MAX_EXTENDERS = 50
MAX_ITEMS = 1_000
