"""URL prefixes of clusters, cycles and classes."""

CLUSTER = "v1/clusters/<number:cluster_id>/"
CLASS = "v1/classes/<number:class_id>/"
CYCLE = f"{CLUSTER}cycles/<number:number>/"
