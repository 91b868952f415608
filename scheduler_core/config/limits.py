"""Limits on the size of a configuration, whose text comes from untrusted users."""

from kube_objects.text.limits import Limits

MAX_BYTES = 1 << 18
MAX_DEPTH = 100
MAX_VALUES = 20_000
LIMITS = Limits(bytes=MAX_BYTES, depth=MAX_DEPTH, values=MAX_VALUES)
# Building a profile takes milliseconds, and each list is read for every pod or node.
MAX_PROFILES = 100
MAX_EXTENDERS = 50
MAX_ITEMS = 1_000
