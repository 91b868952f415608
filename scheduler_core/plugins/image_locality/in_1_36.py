"""ImageLocality's differences in v1.36.

Source (v1.36.3): pkg/scheduler/framework/plugins.
"""

from kube_objects.pod import Pod
from scheduler_core.plugins.image_locality import plugin as image_locality


class ImageLocality(image_locality.ImageLocality):
    """The plugin in v1.36, which counts the images of image volumes, too."""

    def images(self, pod: Pod) -> list[str]:
        volumes = [str(v.spec.get("reference") or "") for v in pod.volumes if v.source == "image"]
        return super().images(pod) + volumes
