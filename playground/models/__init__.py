"""The models of the database. Django looks for models here, so this module imports all of them."""

from playground.models.charts import ChartPoint, RolloutPoint
from playground.models.classes import ClassAnswer, ClassQuestion, Classroom, Follower, Guest
from playground.models.clusters import BeforeChange, Checkpoint, Cluster, Command, CommandState, SchedulerConfig
from playground.models.comparisons import Comparison, ComparisonRun
from playground.models.history import Cycle, CycleMatrix, Event, ExtenderAnswers, NodeEpoch, Record, ThinnedRecords
from playground.models.lessons import LessonRun, SolvedLesson
from playground.models.metrics import MetricTally
from playground.models.shares import Share, ShareView
from playground.models.states import FOREVER, ClusterObject, NodeState, ObjectChange, PodState
from playground.models.timings import ClusterTimes
from playground.models.tokens import ClientRefusal, KubernetesToken

__all__ = [
    "FOREVER",
    "BeforeChange",
    "ChartPoint",
    "Checkpoint",
    "ClassAnswer",
    "ClassQuestion",
    "Classroom",
    "ClientRefusal",
    "Cluster",
    "ClusterObject",
    "ClusterTimes",
    "Command",
    "CommandState",
    "Comparison",
    "ComparisonRun",
    "Cycle",
    "CycleMatrix",
    "Event",
    "ExtenderAnswers",
    "Follower",
    "Guest",
    "KubernetesToken",
    "LessonRun",
    "MetricTally",
    "NodeEpoch",
    "NodeState",
    "ObjectChange",
    "PodState",
    "Record",
    "RolloutPoint",
    "SchedulerConfig",
    "Share",
    "ShareView",
    "SolvedLesson",
    "ThinnedRecords",
]
