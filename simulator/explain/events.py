"""Plain descriptions of the events that move a pod in the queue, by upstream's label.

Source: pkg/scheduler/framework/events.go.
"""

from collections.abc import Mapping

from kube_objects.kinds.table import KINDS

_HINTS = "/concepts/scheduling-eviction/scheduling-framework/#queueinghint"
_CYCLE = "/concepts/scheduling-eviction/scheduling-framework/#scheduling-cycle-binding-cycle"

_WORDS: Mapping[str, str] = {
    "UnschedulablePodAdd": "new pod",
    "UnschedulablePodUpdate": "the pod was changed",
    "UnschedulablePodDelete": "a waiting pod was deleted",
    "UnschedulablePodUpdatePodLabel": "the pod's labels were changed",
    "UnschedulablePodUpdatePodScaleDown": "the pod asks for less",
    "UnschedulablePodUpdatePodToleration": "the pod's tolerations were changed",
    "UnschedulablePodUpdatePodSchedulingGatesEliminated": "the pod's scheduling gates were removed",
    "UnschedulablePodUpdatePodGeneratedResourceClaim": "a resource claim was made for the pod",
    "AssignedPodAdd": "another pod got its node",
    "AssignedPodUpdate": "a running pod was changed",
    "AssignedPodDelete": "a running pod went away",
    "AssignedPodUpdatePodLabel": "a running pod's labels were changed",
    "AssignedPodUpdatePodScaleDown": "a running pod asks for less",
    "AssignedPodUpdatePodToleration": "a running pod's tolerations were changed",
    **{f"{kind.resource}{action}": words for kind in KINDS.values() for action, words in kind.event_words.items()},
    "UnschedulableTimeout": "it has waited for five minutes",
    "ForceActivate": "moved by hand",
    "BackoffComplete": "its backoff ended",
    "PopFromBackoffQ": "tried early: nothing else was ready",
    "ScheduleAttemptFailure": "its attempt failed",
    "Pop": "it is next",
    "Done": "its attempt is over",
}

EVENTS: Mapping[str, tuple[str, str]] = {
    label: (words, _CYCLE if label in ("Pop", "Done") else _HINTS) for label, words in _WORDS.items()
}
"""Label → (text, path under the glossary's DOCS). Rare events have no text; their label is shown."""
