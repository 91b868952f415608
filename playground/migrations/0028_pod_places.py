from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("playground", "0027_event_uid"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="podstate",
            index=models.Index(fields=["cluster", "until", "lane", "node"], name="pod_state_place"),
        ),
        migrations.RemoveIndex(model_name="podstate", name="pod_state_lane"),
        migrations.RemoveIndex(model_name="podstate", name="pod_state_node"),
    ]
