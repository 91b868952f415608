"""NodeVolumeLimits: the number of volumes of each CSI driver that a node can attach."""
