"""Deployment: a rollout from replica set to replica set. Source: pkg/controller/deployment."""
