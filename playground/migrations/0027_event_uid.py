from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("playground", "0026_rollout_points"),
    ]

    operations = [
        migrations.AddField(
            model_name="event",
            name="uid",
            field=models.CharField(blank=True, default="", max_length=128),
        ),
    ]
