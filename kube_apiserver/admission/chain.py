"""Admission: the plugins in upstream's order, run over one write.

Mutating plugins change an object before its strategy and its validation. Validating plugins run last. Plugins that need
webhooks or a cloud are left out, because no cluster here has them.

Source: pkg/kubeapiserver/options/plugins.go AllOrderedPlugins, apiserver/pkg/admission/chain.go.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kube_apiserver.admission import (
    default_classes,
    limit_ranger,
    mutating_policies,
    namespace_lifecycle,
    pods,
    policies,
    priority,
    resource_quota,
    storage,
    taint_nodes,
)
from kube_apiserver.admission.attributes import Attributes
from kube_apiserver.admission.pod_security import plugin as pod_security
from kube_apiserver.resources import Resource

Object = dict[str, Any]

_MUTATING_POLICIES, _VALIDATING_POLICIES = "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"
_POD, _CLAIM = frozenset({"Pod"}), frozenset({"PersistentVolumeClaim"})


@dataclass(frozen=True, slots=True)
class Plugin:
    """An admission plugin: its upstream name and the kinds that it handles, None for all.

    `admit` returns the changed object, `validate` the warnings for the client. Both raise ApiError.
    """

    name: str
    kinds: frozenset[str] | None = None
    admit: Callable[[Attributes], Object] | None = None
    validate: Callable[[Attributes], list[str]] | None = None

    def handles(self, resource: Resource) -> bool:
        return self.kinds is None or (resource.custom is None and resource.kind in self.kinds)


def _mutate_by_policies(attributes: Attributes) -> Object:
    """Run the policies. If one changes the object, run the plugins before them once more.

    Source: apiserver/pkg/admission/reinvocation.go.
    """
    return mutating_policies.admit(attributes, lambda changed: _admit(_BEFORE_POLICIES, attributes.with_value(changed)))


PLUGINS = (
    Plugin("NamespaceLifecycle", admit=namespace_lifecycle.admit),
    Plugin("LimitRanger", _POD | _CLAIM, limit_ranger.admit, limit_ranger.validate),
    Plugin("TaintNodesByCondition", frozenset({"Node"}), taint_nodes.admit),
    Plugin("PodSecurity", validate=pod_security.validate),
    Plugin("Priority", frozenset({"Pod", "PriorityClass"}), priority.admit, priority.validate),
    Plugin("DefaultTolerationSeconds", _POD, pods.default_toleration_seconds),
    Plugin("DefaultStorageClass", _CLAIM, default_classes.storage_class),
    Plugin("StorageObjectInUseProtection", frozenset(storage.PROTECTIONS), storage.add_protection),
    Plugin("PersistentVolumeClaimResize", _CLAIM, validate=storage.check_resize),
    Plugin("RuntimeClass", _POD, pods.runtime_class),
    Plugin("DefaultIngressClass", frozenset({"Ingress"}), default_classes.ingress_class),
    Plugin("PodTopologyLabels", _POD, pods.topology_labels),
    Plugin("NodeDeclaredFeatureValidator", _POD, validate=pods.declared_features),
    Plugin(_MUTATING_POLICIES, admit=_mutate_by_policies),
    Plugin(_VALIDATING_POLICIES, validate=policies.validate),
    Plugin("ResourceQuota", validate=resource_quota.validate),
)
_BEFORE_POLICIES = PLUGINS[: [plugin.name for plugin in PLUGINS].index(_MUTATING_POLICIES)]
_POLICY_PLUGINS = [plugin for plugin in PLUGINS if plugin.name == _VALIDATING_POLICIES]


def admit(attributes: Attributes) -> Object:
    """Return the object after the mutating plugins, or raise ApiError."""
    return _admit(PLUGINS, attributes)


def _admit(plugins: Iterable[Plugin], attributes: Attributes) -> Object:
    for plugin in plugins:
        if plugin.admit is not None and plugin.handles(attributes.resource):
            value = plugin.admit(attributes)
            attributes = attributes if value is attributes.value else attributes.with_value(value)
    return attributes.value


def validate(attributes: Attributes, *, is_changed: bool = True) -> list[str]:
    """Return the warnings of the validating plugins, or raise ApiError.

    Only policies run for a status update and for an update that changes nothing.
    """
    plugins = PLUGINS if is_changed and attributes.subresource != "status" else _POLICY_PLUGINS
    return [
        warning
        for plugin in plugins
        if plugin.validate is not None and plugin.handles(attributes.resource)
        for warning in plugin.validate(attributes)
    ]
