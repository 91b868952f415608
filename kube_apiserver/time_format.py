"""Time formats. Source: apimachinery/pkg/apis/meta/v1/time.go."""

TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
