/**
 * Templates for new objects, as YAML. `{n}` in a name creates the requested number, `{node}` one per node. [{id, label,
 * about, count, text}]; `count`: the initial number, 0 with `{node}`.
 */
import { _ } from "../base/i18n.js";

const POD = `apiVersion: v1
kind: Pod
metadata:
  name: web-1
  namespace: default
  labels:
    app: web
spec:
  containers:
    - name: app
      image: registry.example/web:1.0
      resources:
        requests:
          cpu: 500m
          memory: 512Mi
`;

const NODE = `apiVersion: v1
kind: Node
metadata:
  name: node-new
  labels:
    kubernetes.io/hostname: node-new
    topology.kubernetes.io/zone: zone-a
status:
  allocatable:
    cpu: "4"
    memory: 16Gi
    pods: "110"
`;

const GPU_NODE = `apiVersion: v1
kind: Node
metadata:
  name: gpu-new
  labels:
    kubernetes.io/hostname: gpu-new
    topology.kubernetes.io/zone: zone-a
spec:
  taints:
    - key: nvidia.com/gpu
      value: present
      effect: NoSchedule
status:
  allocatable:
    cpu: "32"
    memory: 128Gi
    pods: "110"
    nvidia.com/gpu: "4"
`;

const GPU_POD = `apiVersion: v1
kind: Pod
metadata:
  name: train-1
  namespace: default
spec:
  tolerations:
    - key: nvidia.com/gpu
      operator: Exists
      effect: NoSchedule
  containers:
    - name: train
      image: registry.example/train:1.0
      resources:
        requests:
          cpu: "8"
          memory: 32Gi
          nvidia.com/gpu: "1"
        limits:
          nvidia.com/gpu: "1"
`;

const SPOT_POOL = `apiVersion: v1
kind: Node
metadata:
  name: spot-{n}
  labels:
    kubernetes.io/hostname: spot-{n}
    topology.kubernetes.io/zone: zone-a
    example.com/capacity-type: spot
spec:
  taints:
    - key: example.com/spot
      value: "true"
      effect: NoSchedule
status:
  allocatable:
    cpu: "8"
    memory: 32Gi
    pods: "110"
`;

const WEB_APP = `# A web application over three zones: at most one pod more in a zone than in any other.
apiVersion: v1
kind: Service
metadata:
  name: shop
  namespace: default
spec:
  selector:
    app: shop
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: shop
  namespace: default
spec:
  selector:
    matchLabels:
      app: shop
---
apiVersion: v1
kind: Pod
metadata:
  name: shop-{n}
  namespace: default
  labels:
    app: shop
  ownerReferences:
    - apiVersion: apps/v1
      kind: ReplicaSet
      name: shop
      uid: shop
      controller: true
spec:
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: topology.kubernetes.io/zone
      whenUnsatisfiable: DoNotSchedule
      labelSelector:
        matchLabels:
          app: shop
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels:
                app: shop
  containers:
    - name: app
      image: registry.example/shop:1.0
      resources:
        requests:
          cpu: 500m
          memory: 512Mi
`;

const STATEFUL_APP = `# A database of which each pod has a volume of its own and no two share a node.
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: fast-disk
provisioner: disk.example.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: database
  namespace: default
spec:
  selector:
    matchLabels:
      app: database
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data-database-{n}
  namespace: default
spec:
  storageClassName: fast-disk
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 100Gi
---
apiVersion: v1
kind: Pod
metadata:
  name: database-{n}
  namespace: default
  labels:
    app: database
  ownerReferences:
    - apiVersion: apps/v1
      kind: StatefulSet
      name: database
      uid: database
      controller: true
spec:
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              app: database
  volumes:
    - name: data
      persistentVolumeClaim:
        claimName: data-database-{n}
  containers:
    - name: database
      image: registry.example/database:1.0
      resources:
        requests:
          cpu: "1"
          memory: 4Gi
`;

const DAEMON_SET = `\
# One pod for each node, as the DaemonSet controller makes them: bound to it by its name, \
tolerating what nodes may bear.
apiVersion: v1
kind: Pod
metadata:
  name: agent-{node}
  namespace: kube-system
  labels:
    app: agent
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchFields:
              - key: metadata.name
                operator: In
                values: ["{node}"]
  tolerations:
    - key: node.kubernetes.io/not-ready
      operator: Exists
      effect: NoExecute
    - key: node.kubernetes.io/unreachable
      operator: Exists
      effect: NoExecute
    - key: node.kubernetes.io/disk-pressure
      operator: Exists
      effect: NoSchedule
    - key: node.kubernetes.io/memory-pressure
      operator: Exists
      effect: NoSchedule
    - key: node.kubernetes.io/pid-pressure
      operator: Exists
      effect: NoSchedule
    - key: node.kubernetes.io/unschedulable
      operator: Exists
      effect: NoSchedule
  containers:
    - name: agent
      image: registry.example/agent:1.0
      resources:
        requests:
          cpu: 100m
          memory: 128Mi
`;

export const templates = () => [
  { id: "pod", label: "Pod", about: _("one Pod that requests CPU and memory"), count: 1, text: POD },
  { id: "node", label: "Node", about: _("one node in a zone"), count: 1, text: NODE },
  {
    id: "gpu-pod",
    label: _("Pod with a GPU"),
    about: _("requests a GPU and tolerates the taint of such nodes"),
    count: 1,
    text: GPU_POD,
  },
  { id: "gpu-node", label: _("Node with GPUs"), about: _("four GPUs, kept free by a taint"), count: 1, text: GPU_NODE },
  {
    id: "spot-pool",
    label: _("Spot pool"),
    about: _("nodes that can be removed at any time, marked by a label and a taint"),
    count: 6,
    spread: true,
    text: SPOT_POOL,
  },
  {
    id: "web-app",
    label: _("Three-zone web app"),
    about: _("pods of a service, spread evenly over zones"),
    count: 6,
    text: WEB_APP,
  },
  {
    id: "stateful-app",
    label: _("Stateful app with volumes"),
    about: _("each Pod with its own claim, at most one per node"),
    count: 3,
    text: STATEFUL_APP,
  },
  {
    id: "daemon-set",
    label: _("Daemon set"),
    about: _("one pod for each node of this cluster"),
    count: 0,
    text: DAEMON_SET,
  },
];
