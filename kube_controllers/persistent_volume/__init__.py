"""The persistent volume controllers: binding, reclaiming and protection. Source: pkg/controller/volume."""
