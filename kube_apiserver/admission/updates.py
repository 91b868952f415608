"""The fields that an update may change. Source: pkg/apis/apps/validation/validation.go."""

STATEFUL_SET_FIELDS = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)
