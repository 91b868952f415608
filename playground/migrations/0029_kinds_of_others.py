from django.db import migrations

# What was kept by the name of its kind alone, whoever's kind it was.
NAMES = ("Deployment", "DaemonSet", "Job", "CronJob", "HorizontalPodAutoscaler", "NodeGroup", "Arrivals")


def kind_of(kind, manifest):
    """As `kube_objects.kinds.kept` has it since."""
    group = str((manifest or {}).get("apiVersion") or "").rpartition("/")[0]
    is_own = kind in ("NodeGroup", "Arrivals") and group.startswith("playground.")
    return kind if "." not in group or group.endswith(".k8s.io") or is_own else f"{kind}.{group}"


def name_groups(apps, schema_editor):
    """Volcano's Job is none of those that controllers know."""
    for name in ("ClusterObject", "ObjectChange"):
        model = apps.get_model("playground", name)
        for row in model.objects.filter(kind__in=NAMES).iterator(chunk_size=500):
            manifest = row.manifest if name == "ClusterObject" else row.after or row.before
            kind = kind_of(row.kind, manifest)
            if kind != row.kind:
                model.objects.filter(pk=row.pk).update(kind=kind)


class Migration(migrations.Migration):
    dependencies = [("playground", "0028_pod_places")]

    operations = [migrations.RunPython(name_groups, migrations.RunPython.noop)]
