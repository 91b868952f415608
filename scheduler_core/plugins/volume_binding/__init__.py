"""VolumeBinding: a pod goes only where its claims can have their volumes, and gets them bound."""
