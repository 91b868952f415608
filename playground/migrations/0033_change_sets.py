import re
from collections.abc import Iterator

from django.db import migrations, models

# Until this migration, a client's name stood behind its user's, and what a client changed within these seconds was one
# undo.
SIGNED = re.compile(r"(.*) \((.{1,82})\)")
TOGETHER_SECONDS = 3
BATCH = 500


def fill_columns(apps, schema_editor):
    """Split authors, mark redos, and give what was one undo one change set."""
    Command = apps.get_model("playground", "Command")
    changes = Command.objects.exclude(author="").exclude(what="").exclude(state="failed")
    for cluster in changes.order_by().values_list("cluster_id", flat=True).distinct():
        filled = _filled(changes.filter(cluster_id=cluster).defer("payload", "problems").order_by("number"))
        batch = []
        for command in filled:
            batch.append(command)
            if len(batch) == BATCH:
                Command.objects.bulk_update(batch, FIELDS)
                batch = []
        Command.objects.bulk_update(batch, FIELDS)
    # Commands that change nothing, and those that failed, are no part of an undo.
    others = Command.objects.filter(client="", author__endswith=")").defer("payload", "problems")
    for command in others.iterator(BATCH):
        if signed := SIGNED.fullmatch(command.author):
            Command.objects.filter(pk=command.pk).update(author=signed[1], client=signed[2])


FIELDS = ["author", "client", "change_set", "undoes", "redoes"]


def _filled(commands) -> Iterator:
    """Yield these changes, undos and redos of one cluster, with the new columns."""
    last = None
    known = {}  # number → (whether it is an undo, its change set)
    for command in commands.iterator(BATCH):
        signed = SIGNED.fullmatch(command.author)
        if signed:
            command.author, command.client = signed[1], signed[2]
        if command.undoes is not None:
            of_undo, command.change_set = known.get(command.undoes, (False, ""))
            if of_undo:
                command.undoes, command.redoes = None, command.undoes
        elif command.client:
            is_alone = (
                last is None
                or (last.author, last.client) != (command.author, command.client)
                or (command.created - last.created).total_seconds() > TOGETHER_SECONDS
            )
            command.change_set = f"command-{command.number}" if is_alone else last.change_set
        last = command
        known[command.number] = (command.undoes is not None, command.change_set)
        yield command


class Migration(migrations.Migration):
    dependencies = [
        ("playground", "0032_share_view_work"),
    ]

    operations = [
        migrations.AddField(
            model_name="command",
            name="change_set",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddField(
            model_name="command",
            name="client",
            field=models.CharField(blank=True, default="", max_length=82),
        ),
        migrations.AddField(
            model_name="command",
            name="redoes",
            field=models.BigIntegerField(null=True),
        ),
        migrations.RunPython(fill_columns, migrations.RunPython.noop),
    ]
