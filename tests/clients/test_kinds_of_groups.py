"""kubectl v1.34 with kinds of several groups that have one name, as Istio and the Gateway API bring them."""

from collections.abc import Callable

from tests.clients.conftest import Cluster
from tests.clients.test_kubectl import APPS

ISTIO, GATEWAY_API = "gateways.networking.istio.io", "gateways.gateway.networking.k8s.io"
FOLDER = APPS / "gateways"


def test_each_is_applied_listed_and_deleted_by_itself(make_cluster: Callable[..., Cluster]) -> None:
    kubectl = make_cluster(actors=True).kubectl
    assert kubectl(f"apply -f {FOLDER}/definitions.yaml").count(" created\n") == 3
    kubectl(f"wait --for=condition=Established crd/{ISTIO} crd/{GATEWAY_API} crd/ingresses.config.openshift.io")
    assert kubectl(f"apply -f {FOLDER}/objects.yaml") == (
        "gateway.networking.istio.io/web created\n"
        "gateway.gateway.networking.k8s.io/web created\n"
        "ingress.config.openshift.io/cluster created\n"
        "ingress.networking.k8s.io/web created\n"
    )
    # Of several groups the first by its name is meant, of a built-in kind that one.
    assert kubectl("get gateways -o name") == "gateway.gateway.networking.k8s.io/web\n"
    assert kubectl("get ingresses -o name") == "ingress.networking.k8s.io/web\n"
    assert kubectl("get gw,gtw -o name") == "gateway.networking.istio.io/web\ngateway.gateway.networking.k8s.io/web\n"
    assert kubectl("get gateways.v1alpha3.networking.istio.io -o name") == "gateway.networking.istio.io/web\n"
    assert kubectl(f"get {GATEWAY_API} --no-headers").split() == ["web", "istio"]
    assert kubectl("get istio-io -o name") == "gateway.networking.istio.io/web\n"
    assert "API Version:  networking.istio.io/v1\n" in kubectl(f"describe {ISTIO} web")
    assert kubectl(f"explain {GATEWAY_API}.spec").startswith("GROUP:      gateway.networking.k8s.io\n")
    again = kubectl(f"apply --server-side --force-conflicts -f {FOLDER}/objects.yaml")
    assert again.count(" serverside-applied\n") == 4
    kubectl(f"label {ISTIO} web of=istio")
    assert kubectl("get gateways.networking.istio.io,gateways.gateway.networking.k8s.io -l of -o name") == (
        "gateway.networking.istio.io/web\n"
    )
    kubectl(f"delete crd {ISTIO}")
    assert kubectl("get gateways -A -o name") == "gateway.gateway.networking.k8s.io/web\n"


def test_a_chain_of_owners_goes_from_its_first_to_its_last(make_cluster: Callable[..., Cluster]) -> None:
    """As cert-manager's and Knative's objects own one another; the owner waits, in the foreground."""
    kubectl = make_cluster(actors=True).kubectl
    kubectl(f"apply -f {FOLDER}/definitions.yaml")
    version, name = "gateway.networking.k8s.io/v1", "first"
    kubectl("apply -f -", stdin=f"{{apiVersion: {version}, kind: Gateway, metadata: {{name: first}}}}")
    for child, of in (("second", "networking.istio.io/v1"), ("third", version)):
        resource = f"gateways.{version.partition('/')[0]}"
        uid = kubectl(f"get {resource} {name} -o jsonpath={{.metadata.uid}}")
        owner = f"{{apiVersion: {version}, kind: Gateway, name: {name}, uid: '{uid}', blockOwnerDeletion: true}}"
        about = f"{{name: {child}, ownerReferences: [{owner}]}}"
        kubectl("apply -f -", stdin=f"{{apiVersion: {of}, kind: Gateway, metadata: {about}}}")
        version, name = of, child
    assert kubectl("get gw,gtw -o name").count("\n") == 3
    kubectl(f"delete {GATEWAY_API} first --cascade=foreground --timeout=60s")
    kubectl(f"wait --for=delete {GATEWAY_API}/third --timeout=60s")
    assert "No resources found" in kubectl("get gw,gtw")


def test_what_each_owns_goes_with_it_and_all_with_the_namespace(make_cluster: Callable[..., Cluster]) -> None:
    kubectl = make_cluster(actors=True).kubectl
    kubectl(f"apply -f {FOLDER}/definitions.yaml")
    kubectl("create namespace shop")
    kubectl(f"create quota q -n shop --hard=count/{ISTIO}=1,count/{GATEWAY_API}=2")
    kubectl(f"apply -n shop -f {FOLDER}/objects.yaml")
    for resource in (ISTIO, GATEWAY_API):
        uid = kubectl(f"get {resource} web -n shop -o jsonpath={{.metadata.uid}}")
        version = f"{resource.partition('.')[2]}/v1"
        owner = f"{{apiVersion: {version}, kind: Gateway, name: web, uid: '{uid}'}}"
        child = f"{{name: of-{version.partition('.')[0]}, namespace: shop, ownerReferences: [{owner}]}}"
        kubectl("apply -f -", stdin=f"{{apiVersion: v1, kind: ConfigMap, metadata: {child}}}")
    used = f"{{.status.used.count/{ISTIO.replace('.', chr(92) + '.')}}}"
    assert kubectl(f"get quota q -n shop -o 'jsonpath={used}'") == "1"
    second = "{apiVersion: networking.istio.io/v1, kind: Gateway, metadata: {name: second, namespace: shop}}"
    assert f"exceeded quota: q, requested: count/{ISTIO}=1" in kubectl("create -f -", want=1, stdin=second)
    kubectl(f"delete {ISTIO} web -n shop")
    kubectl("wait --for=delete configmap/of-networking -n shop --timeout=60s")
    assert kubectl("get configmap of-gateway -n shop -o name") == "configmap/of-gateway\n"
    kubectl("delete namespace shop --timeout=60s")
    assert "No resources found" in kubectl(f"get {ISTIO},{GATEWAY_API} -A")
