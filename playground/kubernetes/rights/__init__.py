"""Authorization in a cluster: reviews that clients request, and the checks for roles, admission policies and quotas."""
