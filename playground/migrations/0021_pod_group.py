from django.db import migrations, models


def name_groups(apps, schema_editor):
    """Pods that were stored before say the group that their manifests name. Only clusters with groups have such."""
    ClusterObject = apps.get_model("playground", "ClusterObject")
    PodState = apps.get_model("playground", "PodState")
    clusters = ClusterObject.objects.filter(kind="PodGroup").values_list("cluster_id", flat=True).distinct()
    for cluster in list(clusters):
        for pod in ClusterObject.objects.filter(cluster_id=cluster, kind="Pod").iterator():
            group = (pod.manifest.get("spec", {}).get("schedulingGroup") or {}).get("podGroupName")
            if group:
                name = f"{pod.manifest['metadata'].get('namespace', 'default')}/{group}"
                PodState.objects.filter(cluster_id=cluster, pod=pod.key).update(pod_group=name)


class Migration(migrations.Migration):
    dependencies = [("playground", "0020_kubernetes_tokens")]

    operations = [
        migrations.AddField("podstate", "pod_group", models.CharField(blank=True, default="", max_length=400)),
        migrations.AddIndex(
            "podstate",
            models.Index(
                condition=models.Q(("pod_group", ""), _negated=True),
                fields=["cluster", "pod_group", "until"],
                name="pod_state_group",
            ),
        ),
        migrations.RunPython(name_groups, migrations.RunPython.noop),
    ]
