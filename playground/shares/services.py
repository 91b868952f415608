"""Changes of shared moments: create one from a cluster, delete it, or try it in a cluster of the visitor."""

import hashlib
import json
import secrets
from dataclasses import dataclass, replace
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import Count, Sum

from kube_objects.sentences import say
from playground import limits, plugins
from playground.access import viewing
from playground.clusters import lifecycle
from playground.exchange import scenario_loading, scenarios
from playground.models import Cluster, Share, ShareView
from playground.problems import MOST_PROBLEMS, Refused, problem, to_api_problem
from playground.store import quota
from scheduler_core.config import ConfigError
from simulator.exchange import share_file
from simulator.exchange.share_file import Cursor, ShareError

CONFLICT, TOO_LARGE = 409, 413
NO_EXTENDERS = say(
    "calls extenders, but a shared snapshot must give the same result everywhere and stores no extender responses"
)


@dataclass(frozen=True)
class CreatedShare:
    """A shared moment, as the text of a link or stored."""

    share: share_file.Share
    link: str | None
    stored: Share | None
    size: int


def create_share(
    owner: AbstractBaseUser, cluster: Cluster, cursor: Cursor, title: str = "", *, stored: bool = False
) -> CreatedShare:
    """Share the cluster's current state with a position in the UI. Raises Refused if it can't be shared.

    The moment is stored if requested, or if it is too large for a link.
    """
    if cluster.cycle > limits.SHARE_CYCLES:
        rule = say(
            "the cluster has {cycle} cycles; at most {most} can be shared",
            cycle=cluster.cycle,
            most=limits.SHARE_CYCLES,
        )
        raise Refused([problem("", rule, hint=say("export it as a scenario"))], CONFLICT)
    if cluster.applied < cluster.submitted:
        raise Refused(
            [problem("", say("the cluster is still busy"), hint=say("pause the run, or share when it has finished"))],
            CONFLICT,
        )
    scenario = viewing.remove_hidden_data(scenarios.scenario_of(cluster))
    scenario.commands = share_file.merge_steps(scenario.commands)
    share = share_file.Share(title or cluster.name, scenario, cursor)
    document = share.document()
    text = share_file.text_of(document)
    size = len(text.encode())
    if size > limits.SHARE_BYTES:
        rule = say("it takes {size} bytes, at most {most} can be shared", size=size, most=limits.SHARE_BYTES)
        raise Refused([problem("", rule, hint=say("export it as a scenario"))], TOO_LARGE)
    # Opening runs the same checks, so reject an invalid moment now.
    check_share(read(document))
    link = None if stored else share_file.pack(text)
    on_server = None if link is not None else _store(owner, share, text, size)
    return CreatedShare(share, link, on_server, size)


def read(document: Any) -> share_file.Share:
    """Return the moment in a document from any source. Raises Refused with all problems of its form."""
    try:
        return share_file.parse_share(document)
    except ShareError as error:
        raise refused(error) from error


def without_secrets(share: share_file.Share) -> share_file.Share:
    """Return the moment as viewers see it, without values of Secrets."""
    return replace(share, scenario=viewing.remove_hidden_data(share.scenario))


def refused(error: ShareError) -> Refused:
    """Return the API's error for an invalid link or document."""
    return Refused([to_api_problem(problem) for problem in error.problems[:MOST_PROBLEMS]])


def check_share(share: share_file.Share) -> share_file.Share:
    """Return the moment if it can run. Raises Refused for its configuration, or for too many commands."""
    scenario = share.scenario
    if len(scenario.commands) > limits.SHARE_COMMANDS:
        rule = say(
            "has {n} commands; a shared snapshot has at most {most}",
            n=len(scenario.commands),
            most=limits.SHARE_COMMANDS,
        )
        raise Refused([problem("scenario.commands", rule, hint=say("export it as a scenario"))], CONFLICT)
    texts = _configurations(share)
    # Each configuration is loaded with each version, because only a run shows which changes are accepted.
    emulations = dict.fromkeys(scenario.emulations)
    number = len(texts) + len(emulations) - 1
    if number > limits.SHARE_CONFIGS:
        rule = say(
            "has {n} configurations; a shared snapshot has at most {most}",
            n=number,
            most=limits.SHARE_CONFIGS,
        )
        raise Refused([problem("scenario.commands", rule, hint=say("export it as a scenario"))], CONFLICT)
    scenario_loading.check_playable(scenario)
    for path, yaml in texts:
        if any(_has_extenders(yaml, emulates) for emulates in emulations):
            raise Refused(
                [problem(path, NO_EXTENDERS, hint=say("share it with a profile without extenders"))], CONFLICT
            )
    return share


def _has_extenders(yaml: str, emulates: str) -> bool:
    try:
        return bool(plugins.load(yaml, emulates).extenders)
    except ConfigError:
        # The run will reject a command with this configuration. The initial configuration has been checked.
        return False


def digest_of(share: share_file.Share) -> str:
    """Return a digest of the scenario, independent of its name, title and position."""
    document = share_file.Share("", share.scenario).document()
    document["scenario"]["name"] = ""
    return hashlib.sha256(share_file.text_of(document).encode()).hexdigest()


def delete(share: Share) -> None:
    """Delete the moment; also delete the clusters that show it, unless another user shares the same scenario."""
    # Viewers see it without values of Secrets, so the shown moment has another digest.
    digests = {share.digest, digest_of(without_secrets(share_file.parse_share(json.loads(share.document))))}
    with transaction.atomic():
        share.delete()
        if not Share.objects.filter(digest__in=digests).exists():
            for view in ShareView.objects.filter(digest__in=digests).select_related("cluster"):
                lifecycle.delete_cluster(view.cluster)


def try_share(user: AbstractBaseUser, share: share_file.Share) -> Cluster:
    """Create a cluster of the visitor's own that runs to the same moment. Raises Refused."""
    with transaction.atomic():
        made = lifecycle.create_cluster(
            user, share.title or share.scenario.name or "shared", emulates=share.scenario.emulates
        )
        create_visitor_cluster(made, share, user.get_username())
    made.refresh_from_db()
    return made


def create_visitor_cluster(cluster: Cluster, share: share_file.Share, author: str) -> None:
    """Queue the scenario's commands in a cluster without history."""
    check_share(share)
    scenario_loading.load_scenario(cluster.pk, share.scenario, author)


def _configurations(share: share_file.Share) -> list[tuple[str, str]]:
    texts = [("scenario.config", share.scenario.config)]
    for index, command in enumerate(share.scenario.commands):
        if command["kind"] == "set_config":
            texts.append((f"scenario.commands[{index}].yaml", command["yaml"]))
    return texts


@transaction.atomic
def _store(owner: AbstractBaseUser, share: share_file.Share, text: str, size: int) -> Share:
    # Lock the owner's row while the stored moments are counted.
    get_user_model()._default_manager.select_for_update().get(pk=owner.pk)
    taken = Share.objects.filter(owner_id=owner.pk).aggregate(number=Count("pk"), size=Sum("size"))
    if taken["number"] >= limits.SHARES_PER_USER:
        rule = say("a user can store at most {most} snapshots", most=limits.SHARES_PER_USER)
        raise Refused([problem("", rule, hint=say("delete one"))], CONFLICT)
    if (taken["size"] or 0) + size > limits.SHARES_BYTES_PER_USER:
        rule = say(
            "the stored snapshots of a user can take at most {most} bytes",
            most=limits.SHARES_BYTES_PER_USER,
        )
        raise Refused([problem("", rule, hint=say("delete some"))], CONFLICT)
    if (full := quota.disk_problem(size)) is not None:
        raise Refused([full], CONFLICT)
    return Share.objects.create(
        token=secrets.token_urlsafe(16),
        owner_id=owner.pk,
        title=share.title,
        emulates=share.scenario.emulations[-1],
        digest=digest_of(share),
        document=text,
        size=size,
    )
