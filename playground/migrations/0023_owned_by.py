from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("playground", "0022_chart_points")]

    operations = [
        migrations.AddField("podstate", "owned_by", models.CharField(blank=True, default="", max_length=500)),
    ]
