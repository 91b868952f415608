import django.db.models.deletion
from django.db import migrations, models

import playground.fields


class Migration(migrations.Migration):
    dependencies = [("playground", "0021_pod_group")]

    operations = [
        migrations.CreateModel(
            name="ChartPoint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seq", models.BigIntegerField()),
                ("t", models.FloatField()),
                ("body", playground.fields.JsonText()),
                (
                    "cluster",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="playground.cluster",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("cluster", "seq"), name="chart_point_seq")],
            },
        ),
    ]
