"""Reasons about other pods: topology spread and inter-pod affinity."""

from simulator.explain.known.entry import COULD, DEPENDS, KnownReason, reason
from simulator.explain.known.inspections import LABELS, OTHER_PODS, POD_AFFINITY, SPREAD

POD_REASONS: tuple[KnownReason, ...] = (
    reason(
        r"node\(s\) didn't match pod topology spread constraints",
        "PodTopologySpread",
        "the node's domain is too many matching pods ahead of the emptiest one (more than maxSkew)",
        SPREAD,
        OTHER_PODS,
        evicting=COULD,
        plain="the pods' spread would be too uneven",
    ),
    reason(
        r"node\(s\) didn't match pod topology spread constraints \(missing required label\)",
        "PodTopologySpread",
        "the node lacks the topology key of one of the pod's spread constraints, so it is in no domain",
        SPREAD,
        LABELS,
        plain="without the label that the pods spread over",
    ),
    reason(
        r"node\(s\) didn't match pod affinity rules|PodAffinityRulesNotMatch",
        "InterPodAffinity",
        "no pod that this one must be near runs in the node's domain",
        POD_AFFINITY,
        OTHER_PODS,
        plain="without the pods that this one must be near",
    ),
    reason(
        r"node\(s\) didn't match pod anti-affinity rules|PodAntiAffinityRulesNotMatch",
        "InterPodAffinity",
        "a pod that this one must keep away from runs in the node's domain",
        POD_AFFINITY,
        OTHER_PODS,
        evicting=COULD,
        plain="with a pod that this one must keep away from",
    ),
    reason(
        r"node\(s\) didn't satisfy existing pods anti-affinity rules|ExistingPodsAntiAffinityRulesNotMatch",
        "InterPodAffinity",
        "a running pod in the node's domain keeps pods like this one away: the rule is that pod's, not this one's",
        OTHER_PODS,
        evicting=COULD,
        plain="anti-affinity: a Pod on this node rejects this Pod",
    ),
    reason(
        r"node\(s\) didn't match pod affinity/anti-affinity( rules)?|MatchInterPodAffinity",
        "InterPodAffinity",
        "required affinity or anti-affinity between pods is not satisfied; a second reason of the event says which",
        POD_AFFINITY,
        OTHER_PODS,
        evicting=DEPENDS,
        versions="up to v1.21",
    ),
)
