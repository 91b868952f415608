"""The names of built-in kinds in the API: one line a kind.

A kind that scheduling or a controller reads has a file beside this one, too, and its line in `table`. What the API
server adds (verbs, subresources, columns of tables) is in `kube_apiserver/data/resources.json`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

# Plural, short names, apiVersion, whether it lives in a namespace, kind, categories.
# Source: what kube-apiserver v1.36.2 answers to discovery, in its order; it does not serve the last three.
_TABLE = """
bindings - v1 yes Binding -
componentstatuses cs v1 no ComponentStatus -
configmaps cm v1 yes ConfigMap -
endpoints ep v1 yes Endpoints -
events ev v1 yes Event -
limitranges limits v1 yes LimitRange -
namespaces ns v1 no Namespace -
nodes no v1 no Node -
persistentvolumeclaims pvc v1 yes PersistentVolumeClaim -
persistentvolumes pv v1 no PersistentVolume -
pods po v1 yes Pod all
podtemplates - v1 yes PodTemplate -
replicationcontrollers rc v1 yes ReplicationController all
resourcequotas quota v1 yes ResourceQuota -
secrets - v1 yes Secret -
serviceaccounts sa v1 yes ServiceAccount -
services svc v1 yes Service all
apiservices - apiregistration.k8s.io/v1 no APIService api-extensions
controllerrevisions - apps/v1 yes ControllerRevision -
daemonsets ds apps/v1 yes DaemonSet all
deployments deploy apps/v1 yes Deployment all
replicasets rs apps/v1 yes ReplicaSet all
statefulsets sts apps/v1 yes StatefulSet all
events ev events.k8s.io/v1 yes Event -
selfsubjectreviews - authentication.k8s.io/v1 no SelfSubjectReview -
tokenreviews - authentication.k8s.io/v1 no TokenReview -
localsubjectaccessreviews - authorization.k8s.io/v1 yes LocalSubjectAccessReview -
selfsubjectaccessreviews - authorization.k8s.io/v1 no SelfSubjectAccessReview -
selfsubjectrulesreviews - authorization.k8s.io/v1 no SelfSubjectRulesReview -
subjectaccessreviews - authorization.k8s.io/v1 no SubjectAccessReview -
horizontalpodautoscalers hpa autoscaling/v2 yes HorizontalPodAutoscaler all
horizontalpodautoscalers hpa autoscaling/v1 yes HorizontalPodAutoscaler all
cronjobs cj batch/v1 yes CronJob all
jobs - batch/v1 yes Job all
certificatesigningrequests csr certificates.k8s.io/v1 no CertificateSigningRequest -
ingressclasses - networking.k8s.io/v1 no IngressClass -
ingresses ing networking.k8s.io/v1 yes Ingress -
ipaddresses ip networking.k8s.io/v1 no IPAddress -
networkpolicies netpol networking.k8s.io/v1 yes NetworkPolicy -
servicecidrs - networking.k8s.io/v1 no ServiceCIDR -
poddisruptionbudgets pdb policy/v1 yes PodDisruptionBudget -
clusterrolebindings - rbac.authorization.k8s.io/v1 no ClusterRoleBinding -
clusterroles - rbac.authorization.k8s.io/v1 no ClusterRole -
rolebindings - rbac.authorization.k8s.io/v1 yes RoleBinding -
roles - rbac.authorization.k8s.io/v1 yes Role -
csidrivers - storage.k8s.io/v1 no CSIDriver -
csinodes - storage.k8s.io/v1 no CSINode -
csistoragecapacities - storage.k8s.io/v1 yes CSIStorageCapacity -
storageclasses sc storage.k8s.io/v1 no StorageClass -
volumeattachments - storage.k8s.io/v1 no VolumeAttachment -
volumeattributesclasses vac storage.k8s.io/v1 no VolumeAttributesClass -
mutatingadmissionpolicies - admissionregistration.k8s.io/v1 no MutatingAdmissionPolicy api-extensions
mutatingadmissionpolicybindings - admissionregistration.k8s.io/v1 no MutatingAdmissionPolicyBinding api-extensions
mutatingwebhookconfigurations - admissionregistration.k8s.io/v1 no MutatingWebhookConfiguration api-extensions
validatingadmissionpolicies - admissionregistration.k8s.io/v1 no ValidatingAdmissionPolicy api-extensions
validatingadmissionpolicybindings - admissionregistration.k8s.io/v1 no ValidatingAdmissionPolicyBinding api-extensions
validatingwebhookconfigurations - admissionregistration.k8s.io/v1 no ValidatingWebhookConfiguration api-extensions
customresourcedefinitions crd,crds apiextensions.k8s.io/v1 no CustomResourceDefinition api-extensions
priorityclasses pc scheduling.k8s.io/v1 no PriorityClass -
leases - coordination.k8s.io/v1 yes Lease -
runtimeclasses - node.k8s.io/v1 no RuntimeClass -
endpointslices - discovery.k8s.io/v1 yes EndpointSlice -
deviceclasses - resource.k8s.io/v1 no DeviceClass -
resourceclaims - resource.k8s.io/v1 yes ResourceClaim -
resourceclaimtemplates - resource.k8s.io/v1 yes ResourceClaimTemplate -
resourceslices - resource.k8s.io/v1 no ResourceSlice -
flowschemas - flowcontrol.apiserver.k8s.io/v1 no FlowSchema -
prioritylevelconfigurations - flowcontrol.apiserver.k8s.io/v1 no PriorityLevelConfiguration -
podgroups - scheduling.k8s.io/v1alpha2 yes PodGroup -
nodegroups - playground.kube-scheduler/v1 no NodeGroup -
arrivals - playground.kube-scheduler/v1 yes Arrivals -
"""


@dataclass(slots=True, frozen=True)
class ApiNames:
    """The names of one kind in the API. `api_version` is `group/version`, or the version alone in the core group."""

    plural: str
    short_names: Sequence[str]
    api_version: str
    namespaced: bool
    kind: str
    categories: Sequence[str]

    @property
    def group(self) -> str:
        """Return the API group; "" is the core group."""
        return self.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        return self.api_version.rpartition("/")[2]

    @property
    def singular(self) -> str:
        return self.kind.lower()


def _read(table: str) -> Iterator[ApiNames]:
    for line in table.strip().splitlines():
        plural, short_names, api_version, namespaced, kind, categories = line.split(" ")
        yield ApiNames(plural, _words(short_names), api_version, namespaced == "yes", kind, _words(categories))


def _words(column: str) -> tuple[str, ...]:
    return () if column == "-" else tuple(column.split(","))


API_NAMES: Mapping[tuple[str, str], ApiNames] = {(one.api_version, one.kind): one for one in _read(_TABLE)}
"""(apiVersion, kind) → its names, in the order of discovery."""
NAMESPACED = frozenset(one.kind for one in API_NAMES.values() if one.namespaced)
"""The kinds that live in a namespace."""
