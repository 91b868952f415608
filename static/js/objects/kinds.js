/** The other kinds that scheduling reads, each with the least that makes sense. {kind: YAML} */

const head = (apiVersion, kind, name, namespace) =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${namespace ? "  namespace: default\n" : ""}`;

const SELECTOR = "spec:\n  selector:\n    matchLabels:\n      app: web\n";

const deviceClaim = (indent) =>
  ["spec:", "  devices:", "    requests:", "      - name: gpu", "        exactly:", "          deviceClassName: gpu.example.com"]
    .map((line) => `${indent}${line}\n`)
    .join("");

export const KIND_TEXTS = {
  Namespace: head("v1", "Namespace", "team-a"),
  Service: `${head("v1", "Service", "web", true)}spec:\n  selector:\n    app: web\n`,
  ReplicaSet: head("apps/v1", "ReplicaSet", "web", true) + SELECTOR,
  StatefulSet: head("apps/v1", "StatefulSet", "web", true) + SELECTOR,
  ReplicationController: `${head("v1", "ReplicationController", "web", true)}spec:\n  selector:\n    app: web\n`,
  PriorityClass: `${head("scheduling.k8s.io/v1", "PriorityClass", "important")}value: 1000\npreemptionPolicy: PreemptLowerPriority\n`,
  PodDisruptionBudget: `${head("policy/v1", "PodDisruptionBudget", "web", true)}${SELECTOR}status:\n  disruptionsAllowed: 1\n`,
  PersistentVolume: `${head("v1", "PersistentVolume", "disk-1")}spec:\n  capacity:\n    storage: 10Gi\n  accessModes: [ReadWriteOnce]\n  storageClassName: fast-disk\n  nodeAffinity:\n    required:\n      nodeSelectorTerms:\n        - matchExpressions:\n            - key: topology.kubernetes.io/zone\n              operator: In\n              values: [zone-a]\n`,
  PersistentVolumeClaim: `${head("v1", "PersistentVolumeClaim", "data", true)}spec:\n  storageClassName: fast-disk\n  accessModes: [ReadWriteOnce]\n  resources:\n    requests:\n      storage: 10Gi\n`,
  StorageClass: `${head("storage.k8s.io/v1", "StorageClass", "fast-disk")}provisioner: disk.example.com\nvolumeBindingMode: WaitForFirstConsumer\n`,
  CSINode: `${head("storage.k8s.io/v1", "CSINode", "node-1")}spec:\n  drivers:\n    - name: disk.example.com\n      nodeID: node-1\n      allocatable:\n        count: 16\n`,
  CSIDriver: `${head("storage.k8s.io/v1", "CSIDriver", "disk.example.com")}spec:\n  storageCapacity: true\n`,
  CSIStorageCapacity: `${head("storage.k8s.io/v1", "CSIStorageCapacity", "zone-a", true)}storageClassName: fast-disk\ncapacity: 1Ti\nnodeTopology:\n  matchLabels:\n    topology.kubernetes.io/zone: zone-a\n`,
  VolumeAttachment: `${head("storage.k8s.io/v1", "VolumeAttachment", "disk-1-node-1")}spec:\n  attacher: disk.example.com\n  nodeName: node-1\n  source:\n    persistentVolumeName: disk-1\n`,
  DeviceClass: `${head("resource.k8s.io/v1", "DeviceClass", "gpu.example.com")}spec:\n  selectors:\n    - cel:\n        expression: device.driver == "gpu.example.com"\n`,
  ResourceSlice: `${head("resource.k8s.io/v1", "ResourceSlice", "node-1-gpus")}spec:\n  driver: gpu.example.com\n  nodeName: node-1\n  pool:\n    name: node-1\n    generation: 1\n    resourceSliceCount: 1\n  devices:\n    - name: gpu-0\n      attributes:\n        model:\n          string: a100\n      capacity:\n        memory:\n          value: 40Gi\n`,
  ResourceClaim: `${head("resource.k8s.io/v1", "ResourceClaim", "gpu", true)}${deviceClaim("")}`,
  ResourceClaimTemplate: `${head("resource.k8s.io/v1", "ResourceClaimTemplate", "gpu", true)}spec:\n${deviceClaim("  ")}`,
};
