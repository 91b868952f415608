"""Kinds of the groups beside core, apps, batch, policy, resource and storage classes: a file a group."""
