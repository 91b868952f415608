"""kube-scheduler as a pure, deterministic library: it emulates v1.36.3, v1.34.1 and two older releases."""
