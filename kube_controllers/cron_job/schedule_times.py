"""The due runs of a CronJob, and the time of the next check. Source: pkg/controller/cronjob/utils.go."""

from typing import NamedTuple

from kube_objects.manifests import Manifest, created, parse_time, spec, status
from kube_objects.text.cron import Schedule

# Added to the next time, so that the reconcile runs after it. Source: nextScheduleDelta.
DELTA = 0.1
MANY = 100


class MissedSchedules(NamedTuple):
    """The scheduled times since `earliest`: the most recent one, and how many have passed."""

    earliest: float
    recent: float | None
    passed: int


def most_recent_schedule_time(
    cron_job: Manifest, now: float, schedule: Schedule, with_deadline: bool
) -> MissedSchedules:
    """Return the scheduled times that have passed. Source: mostRecentScheduleTime.

    Raise ValueError if the schedule runs more often than once a second, or never. Upstream's next time of a schedule
    that never runs is the zero time, which equals the one after it.
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
        return MissedSchedules(earliest, None, 0)
    if first is not None and second is not None and now < second:
        return MissedSchedules(earliest, first, 0)
    between = 0 if first is None or second is None else int(second - first + 0.5)
    if first is None or between < 1:
        raise ValueError("time difference between two schedules is less than 1 second")
    count = int(now - first) // between + 1
    recent, scheduled = None, schedule.next(first + (count - 2) * between)
    while scheduled is not None and scheduled <= now:
        recent, scheduled = scheduled, schedule.next(scheduled)
    return MissedSchedules(earliest, recent, count)


def next_check(cron_job: Manifest, now: float, schedule: Schedule) -> float | None:
    """Return the time of the next reconcile; None if the schedule never runs. Source: nextScheduleTimeDuration."""
    try:
        missed = most_recent_schedule_time(cron_job, now, schedule, with_deadline=False)
        since = missed.recent if missed.recent is not None else (now if missed.passed else missed.earliest)
    except ValueError:
        since = now
    following = schedule.next(since)
    return None if following is None else following + DELTA
