/** Starting points for new objects, as YAML. */

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

export const TEMPLATES = { pod: POD, node: NODE, "gpu-pod": GPU_POD, "gpu-node": GPU_NODE };
