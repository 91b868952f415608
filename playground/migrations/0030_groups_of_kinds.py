from django.db import migrations, models

# Those that were told from others of their name before, and Kubernetes' own groups with ours.
TOLD_APART = (
    *("Arrivals", "CSIDriver", "CSINode", "CSIStorageCapacity", "CronJob", "DaemonSet", "Deployment", "DeviceClass"),
    *("HorizontalPodAutoscaler", "Job", "Namespace", "Node", "NodeGroup", "PersistentVolume", "PersistentVolumeClaim"),
    *("Pod", "PodDisruptionBudget", "PodGroup", "PriorityClass", "ReplicaSet", "ReplicationController"),
    *("ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "Service", "StatefulSet", "StorageClass"),
    "VolumeAttachment",
)
OWN = {"playground.kube-scheduler"} | frozenset(
    f"{name}.k8s.io"
    for name in (
        *("admissionregistration", "apiextensions", "apiregistration", "authentication", "authorization"),
        *("certificates", "coordination", "discovery", "events", "flowcontrol.apiserver", "networking", "node"),
        *("rbac.authorization", "resource", "scheduling", "storage"),
    )
)


def kind_of(kind, manifest):
    """As `kube_objects.kinds.kept` has it since."""
    group = str((manifest or {}).get("apiVersion") or "").rpartition("/")[0]
    return f"{kind}.{group}" if "." in group and group not in OWN else kind


def name_groups(apps, schema_editor):
    """Two kinds of one name may be in a cluster, whoever's they are."""
    for name in ("ClusterObject", "ObjectChange"):
        model = apps.get_model("playground", name)
        rows = model.objects.exclude(kind__in=TOLD_APART).exclude(kind__contains=".")
        for row in rows.iterator(chunk_size=500):
            kind = kind_of(row.kind, row.manifest if name == "ClusterObject" else row.after or row.before)
            if kind != row.kind:
                model.objects.filter(pk=row.pk).update(kind=kind)


class Migration(migrations.Migration):
    dependencies = [("playground", "0029_kinds_of_others")]

    operations = [
        # Sixty-three letters, a dot, and a group.
        migrations.AlterField("ClientRefusal", "kind", models.CharField(max_length=317)),
        migrations.AlterField("ClusterObject", "kind", models.CharField(max_length=317)),
        migrations.AlterField("ObjectChange", "kind", models.CharField(max_length=317)),
        migrations.RunPython(name_groups, migrations.RunPython.noop),
    ]
