"""Which run of a CronJob is due, and when to look again. Source: pkg/controller/cronjob/utils.go."""

from typing import NamedTuple

from kube_objects.manifests import Manifest, created, parse_time, spec, status
from kube_objects.text.cron import Schedule

# Added to the next time, so that it has come when it is looked at. Source: nextScheduleDelta.
DELTA = 0.1
MANY = 100


class Missed(NamedTuple):
    """`earliest`: from when on; `recent`: the latest time that has come; `passed`: how many have come."""

    earliest: float
    recent: float | None
    passed: int


def most_recent(cron_job: Manifest, now: float, schedule: Schedule, with_deadline: bool) -> Missed:
    """Source: mostRecentScheduleTime. Raises ValueError if the schedule runs more often than once a second, or never.

    Upstream's next time of a schedule that never runs is the zero time, which is the same as the one after it.
    """
    earliest = parse_time(created(cron_job) or None) or 0.0
    last = parse_time(status(cron_job).get("lastScheduleTime"))
    earliest = earliest if last is None else last
    deadline = spec(cron_job).get("startingDeadlineSeconds")
    if with_deadline and deadline is not None:
        earliest = max(earliest, now - float(deadline))
    first = schedule.next(earliest)
    second = None if first is None else schedule.next(first)
    if first is not None and now < first:
        return Missed(earliest, None, 0)
    if first is not None and second is not None and now < second:
        return Missed(earliest, first, 0)
    between = 0 if first is None or second is None else int(second - first + 0.5)
    if first is None or between < 1:
        raise ValueError("time difference between two schedules is less than 1 second")
    count = int(now - first) // between + 1
    found, at = None, schedule.next(first + (count - 2) * between)
    while at is not None and at <= now:
        found, at = at, schedule.next(at)
    return Missed(earliest, found, count)


def next_look(cron_job: Manifest, now: float, schedule: Schedule) -> float | None:
    """Source: nextScheduleTimeDuration."""
    try:
        missed = most_recent(cron_job, now, schedule, with_deadline=False)
        since = missed.recent if missed.recent is not None else (now if missed.passed else missed.earliest)
    except ValueError:
        since = now
    following = schedule.next(since)
    return None if following is None else following + DELTA
