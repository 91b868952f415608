"""Kinds that clients register: CustomResourceDefinitions, and the objects of their kinds."""
