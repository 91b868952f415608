"""Persistent volumes: claims that do not wait for a consumer are bound. Source: pkg/controller/volume."""
