"""InterPodAffinity: pods ask to share a topology domain with other pods, or to keep away from them."""
