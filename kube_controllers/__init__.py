"""Actors: the controllers and kubelets of a cluster, each one upstream controller's rules in a place of its own.

They know manifests and virtual time, and nothing of the scheduler: an actor looks at an object and says what changes.
"""
