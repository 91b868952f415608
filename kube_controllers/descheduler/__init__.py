"""Descheduler: pods that no longer are where they should be are evicted, so that the scheduler places them anew.

Source: kubernetes-sigs/descheduler, pkg/framework/plugins.
"""
