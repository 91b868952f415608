"""What of an object may be another once it is there. Source: pkg/apis/apps/validation/validation.go."""

STATEFUL_SET_FIELDS = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)
