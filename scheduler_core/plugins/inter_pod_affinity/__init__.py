"""InterPodAffinity: pods that require or prefer to share a topology domain with other pods, or to avoid them."""
