"""Nodes and pods from CSV: what the columns mean, and what is wrong with a file."""

import gzip
from typing import Any

import pytest

from kube_objects.collect import UnusedField
from kube_objects.node import Node
from kube_objects.parse import parse_object
from kube_objects.pod import Pod
from kube_objects.text.limits import Limits
from simulator.importers.csv import ColumnMapping, read_csv

GI = 2**30
TRACE_NODES = """sn,cpu_milli,memory_mib,gpu,model
node-0,32000,262144,0,
node-1,96000,393216,8,G2
"""
TRACE_PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
pod-0,12000,16384,1,1000,,LS,Running,0,12537496,0
pod-1,6000,12288,0,0,,BE,Failed,427061,12902960,
pod-2,6000,12288,2,1000,V100M16|V100M32,LS,Pending,427061,12902960,
"""


def pod(name: str, requests: dict[str, str], **spec: Any) -> dict[str, Any]:
    limits = {name: amount for name, amount in requests.items() if "/" in name}
    container = {"name": "main", "image": "trace", "resources": {"requests": requests, "limits": limits}}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container], **spec}}


def node(name: str, labels: dict[str, str], **capacity: str) -> dict[str, Any]:
    amounts = {name.replace("__", "/").replace("_", "."): amount for name, amount in capacity.items()}
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"capacity": amounts}}


def in_models(*models: str) -> dict[str, Any]:
    expression = {"key": "gpu-model", "operator": "In", "values": list(models)}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def test_a_published_trace() -> None:
    result = read_csv(TRACE_NODES, TRACE_PODS)
    assert result.problems == []
    want = [
        node("node-0", {}, cpu="32", memory="256Gi", pods="110"),
        node("node-1", {"gpu-model": "G2"}, cpu="96", memory="384Gi", pods="110", nvidia_com__gpu="8"),
        pod("pod-0", {"cpu": "12", "memory": "16Gi", "nvidia.com/gpu": "1"}),
        pod("pod-1", {"cpu": "6", "memory": "12Gi"}),
        pod(
            "pod-2",
            {"cpu": "6", "memory": "12Gi", "nvidia.com/gpu": "2"},
            affinity=in_models("V100M16", "V100M32"),
        ),
    ]
    assert result.objects == [parse_object(manifest) for manifest in want]
    assert result.unused == [
        UnusedField("Pod", "gpu_milli", 3, 1, ""),
        UnusedField("Pod", "qos", 3, 1, ""),
        UnusedField("Pod", "pod_phase", 3, 1, ""),
        UnusedField("Pod", "creation_time", 3, 1, ""),
        UnusedField("Pod", "deletion_time", 3, 1, ""),
        UnusedField("Pod", "scheduled_time", 1, 1, ""),
    ]


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode(),
        lambda text: gzip.compress(text.encode()),
        lambda text: gzip.compress(text[:20].encode()) + gzip.compress(text[20:].encode()),
        lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
        lambda text: text + "\n\n",
    ],
    ids=["bytes", "gzip", "gzip in two parts", "as spreadsheets save it", "empty lines"],
)
def test_forms_of_a_file(encode: Any) -> None:
    want = read_csv(TRACE_NODES, TRACE_PODS).objects
    assert read_csv(encode(TRACE_NODES), encode(TRACE_PODS)).objects == want


def test_every_field() -> None:
    nodes = (
        "name,cpu,memory,pods,gpu,model,zone,region,label:disk,resource:example.com/fpga\n"
        "n,3920m,14.5Gi,58,2,T4,a,eu,ssd,4\n"
    )
    pods = (
        "name,namespace,cpu,memory,num_gpu,priority,scheduler_name,node_name,label:app,resource:example.com/fpga\n"
        'p,shop,500m,1Gi,1,-5,mine,n,"web",2\n'
    )
    first, second = read_csv(nodes, pods).objects
    assert isinstance(first, Node) and isinstance(second, Pod)
    assert first.labels == {
        "kubernetes.io/hostname": "n",
        "gpu-model": "T4",
        "topology.kubernetes.io/zone": "a",
        "topology.kubernetes.io/region": "eu",
        "disk": "ssd",
    }
    assert first.allocatable == {
        "cpu": 3920,
        "memory": 29 * GI // 2,
        "pods": 58,
        "nvidia.com/gpu": 2,
        "example.com/fpga": 4,
    }
    assert (second.key, second.labels, second.priority) == ("shop/p", {"app": "web"}, -5)
    assert (second.scheduler_name, second.node_name, second.phase) == ("mine", "n", "Running")
    assert second.requests == {"cpu": 500, "memory": GI, "nvidia.com/gpu": 1, "example.com/fpga": 2}


def test_an_empty_cell_is_not_given() -> None:
    (found,) = read_csv("", "name,cpu,priority,node_name\np,,,\n").objects
    assert isinstance(found, Pod)
    assert (found.requests, found.priority, found.node_name, found.phase) == ({}, 0, "", "Pending")


def test_mapped_columns() -> None:
    mapping = ColumnMapping(
        nodes={"hostname": "name", "vcpus": "cpu", "rack": "label:rack", "zone": ""}, pods={"job": "name"}
    )
    result = read_csv("hostname,vcpus,rack,zone\nn,4,r1,not a zone\n", "job\np\n", mapping)
    assert result.problems == []
    first, second = result.objects
    assert isinstance(first, Node)
    assert (first.capacity["cpu"], first.labels["rack"], second.name) == (4000, "r1", "p")
    assert "topology.kubernetes.io/zone" not in first.labels


FORMAT = "quantities must match the regular expression"
WRONG: list[tuple[str, str | bytes, str | bytes, list[str]]] = [
    # name, nodes, pods, problems as they begin
    ("nothing", "", "", ["these files have no rows"]),
    ("no rows", "name\n", "name\n", ["these files have no rows"]),
    (
        "no name",
        "cpu\n4\n",
        "",
        ["line 1: nodes.name: there is no column for the name; columns are separated by commas"],
    ),
    ("semicolons", "", "name;cpu\np;1\n", ["line 1: pods.name: there is no column for the name; columns are"]),
    ("an empty name", "name,cpu\n,4\n", "", ["line 2: nodes.name: Required value"]),
    ("no quantity", "name,memory\nn,256GB\n", "", [f'line 2: nodes.memory: "256GB": {FORMAT}']),
    ("a fraction", "", "name,cpu_milli\np,1.5\n", ['line 2: pods.cpu_milli: "1.5": must be a whole number']),
    ("below zero", "", "name,num_gpu\np,-1\n", ['line 2: pods.num_gpu: "-1": must be a whole number of at least 0']),
    ("no integer", "", "name,priority\np,high\n", ['line 2: pods.priority: "high": must be an integer']),
    ("a huge number", "name,gpu\nn," + "9" * 5000, "", ['line 2: nodes.gpu: "999']),
    ("a wrong label", "name,label:a\nn,b c\n", "", ['line 2: nodes.label:a: "b c": a valid label must be']),
    ("a wrong name", "", "name\nWeb_1\n", ['line 2: pods.name: "Web_1": a lowercase RFC 1123 subdomain']),
    ("a cell short", "name,cpu\nn\n", "", ["line 2: nodes: has 1 cells where the header has 2"]),
    ("a cell too many", "name\nn,4\n", "", ["line 2: nodes: has 2 cells where the header has 1"]),
    ("the same name", "name\nn\nm\nn\n", "", ['line 4: nodes.name: "n": the same name is in line 2']),
    ("a column twice", "name,name\nn,n\n", "", ["line 1: nodes.name: is a second column for the field name"]),
    (
        "both units",
        "name,cpu,cpu_milli\nn,1,1000\n",
        "",
        ["line 1: nodes.cpu_milli: there is already a column for cpu"],
    ),
    ("an open quote", 'name\n"n\n', "", ["line 2: nodes: is not valid CSV: unexpected end of data"]),
    ("not UTF-8", b"name\n\xff\n", "", ["line 2: nodes: must be UTF-8 text, but byte 5 is not"]),
    ("half a gzip file", gzip.compress(b"name\nn\n" * 50)[:20], "", ["nodes: is not a gzip file: it ends too early"]),
    ("no gzip file", b"\x1f\x8bname", "", ["nodes: is not a gzip file: Error"]),
    (
        "problems of both files, all at once",
        "name,cpu\nn,x\nm,y\n",
        "name,priority\np,z\n",
        ["line 2: nodes.cpu", "line 3: nodes.cpu", "line 2: pods.priority"],
    ),
]


@pytest.mark.parametrize(("nodes", "pods", "want"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_what_is_wrong(nodes: str | bytes, pods: str | bytes, want: list[str]) -> None:
    result = read_csv(nodes, pods)
    assert result.objects == []
    found = [str(problem) for problem in result.problems]
    assert len(found) == len(want), found
    for problem, beginning in zip(found, want, strict=True):
        assert problem.startswith(beginning)


@pytest.mark.parametrize(
    ("mapping", "want"),
    [
        ({"nme": "name"}, 'line 1: nodes.nme: no such column; did you mean "name"?'),
        (
            {"cpu": "cpus"},
            'line 1: nodes.cpu: "cpus": is mapped to a field that does not exist in nodes; did you mean "cpu"?',
        ),
        ({"cpu": "label:"}, 'line 1: nodes.cpu: "label:": is mapped to a field that does not exist in nodes'),
        ({"cpu": "name"}, "line 1: nodes.cpu: is a second column for the field name"),
    ],
)
def test_what_is_wrong_with_a_mapping(mapping: dict[str, str], want: str) -> None:
    assert [str(problem) for problem in read_csv("name,cpu\nn,4\n", "", ColumnMapping(nodes=mapping)).problems] == [
        want
    ]


@pytest.mark.parametrize(
    ("nodes", "want"),
    [
        ("name\n" + "n" * 1000, "nodes: is larger than 1000 bytes; it has 1005"),
        (gzip.compress(b"0" * 10**7), "nodes: is larger than 1000 bytes; it has 1001"),
        ("name\n" + "".join(f"n{number}\n" for number in range(6)), "line 7: nodes: more than 5 rows"),
        ("name\n" + "A\n" * 9, "line 5: nodes: more than 3 problems; the rest was not checked"),
    ],
)
def test_limits(nodes: str | bytes, want: str) -> None:
    result = read_csv(nodes, "", limits=Limits(bytes=1000, lines=5, problems=3))
    assert str(result.problems[-1]) == want
    assert result.objects == []
