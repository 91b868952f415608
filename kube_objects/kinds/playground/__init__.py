"""Kinds of the playground: node groups and arrivals."""
