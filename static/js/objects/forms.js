/**
 * What the forms of Pods and Nodes show: fields by path, each with its widget.
 * {label, path, as: text | number | check | choice | words | map | rows, values?, hint?, without?, columns?}; `without`: keys of a map that
 * other fields show. A choice takes its values from the schema of the field.
 */
import { _ } from "../i18n.js";

const REQUESTS = ["spec", "containers", 0, "resources", "requests"];
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const operator = () => ({ label: _("operator"), path: ["operator"], as: "choice" });

const name = () => ({ label: _("name"), path: ["metadata", "name"], as: "text" });
const labels = () => ({ label: _("labels"), path: ["metadata", "labels"], as: "map" });
const topology = () => ({ label: _("over"), path: ["topologyKey"], as: "text", hint: "topology.kubernetes.io/zone" });
const selector = () => ({ label: _("pods with labels"), path: ["labelSelector", "matchLabels"], as: "labels", hint: "app=web" });
const expressions = () => [
  { label: _("label"), path: ["key"], as: "text", hint: "disktype" },
  operator(),
  { label: _("values"), path: ["values"], as: "words", hint: "ssd, nvme" },
];

const POD = () => [
  { title: _("Identity"), fields: [name(), { label: _("namespace"), path: ["metadata", "namespace"], as: "text", hint: "default" }, labels()] },
  {
    title: _("Asks for"),
    fields: [
      { label: _("CPU"), path: [...REQUESTS, "cpu"], as: "text", hint: "500m" },
      { label: _("memory"), path: [...REQUESTS, "memory"], as: "text", hint: "512Mi" },
      { label: _("other resources"), path: REQUESTS, as: "map", without: ["cpu", "memory"], hint: "nvidia.com/gpu" },
    ],
  },
  {
    title: _("Order"),
    fields: [
      { label: _("priority"), path: ["spec", "priority"], as: "number", hint: "0" },
      { label: _("priority class"), path: ["spec", "priorityClassName"], as: "text" },
      { label: _("preemption"), path: ["spec", "preemptionPolicy"], as: "choice" },
      { label: _("scheduler"), path: ["spec", "schedulerName"], as: "text", hint: "default-scheduler" },
      { label: _("gates"), path: ["spec", "schedulingGates"], as: "rows", columns: [{ label: _("gate"), path: ["name"], as: "text", hint: "example.com/ready" }] },
    ],
  },
  {
    title: _("Where it may go"),
    fields: [
      { label: _("node selector"), path: ["spec", "nodeSelector"], as: "map" },
      { label: _("required node affinity"), path: ["spec", "affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms", 0, "matchExpressions"], as: "rows", columns: expressions() },
      {
        label: _("tolerations"),
        path: ["spec", "tolerations"],
        as: "rows",
        columns: [{ label: _("key"), path: ["key"], as: "text" }, operator(), { label: _("value"), path: ["value"], as: "text" }, { label: _("effect"), path: ["effect"], as: "choice" }],
      },
    ],
  },
  {
    title: _("Beside which pods"),
    fields: [
      {
        label: _("topology spread"),
        path: ["spec", "topologySpreadConstraints"],
        as: "rows",
        columns: [{ label: _("max skew"), path: ["maxSkew"], as: "number", hint: "1" }, topology(), { label: _("when impossible"), path: ["whenUnsatisfiable"], as: "choice" }, selector()],
      },
      { label: _("required together with"), path: ["spec", "affinity", "podAffinity", REQUIRED], as: "rows", columns: [topology(), selector()] },
      { label: _("required apart from"), path: ["spec", "affinity", "podAntiAffinity", REQUIRED], as: "rows", columns: [topology(), selector()] },
    ],
  },
  {
    title: _("Volumes"),
    fields: [
      {
        label: _("claims"),
        path: ["spec", "volumes"],
        as: "rows",
        columns: [{ label: _("name"), path: ["name"], as: "text", hint: "data" }, { label: _("claim"), path: ["persistentVolumeClaim", "claimName"], as: "text" }],
      },
    ],
  },
];

const NODE = () => [
  { title: _("Identity"), fields: [name(), labels()] },
  {
    title: _("Offers"),
    fields: [
      { label: _("CPU"), path: ["status", "allocatable", "cpu"], as: "text", hint: "4" },
      { label: _("memory"), path: ["status", "allocatable", "memory"], as: "text", hint: "16Gi" },
      { label: _("pods"), path: ["status", "allocatable", "pods"], as: "text", hint: "110" },
      { label: _("other resources"), path: ["status", "allocatable"], as: "map", without: ["cpu", "memory", "pods"], hint: "nvidia.com/gpu" },
    ],
  },
  {
    title: _("Keeps away"),
    fields: [
      { label: _("cordoned"), path: ["spec", "unschedulable"], as: "check" },
      {
        label: _("taints"),
        path: ["spec", "taints"],
        as: "rows",
        columns: [{ label: _("key"), path: ["key"], as: "text" }, { label: _("value"), path: ["value"], as: "text" }, { label: _("effect"), path: ["effect"], as: "choice" }],
      },
    ],
  },
];

const FORMS = { Pod: POD, Node: NODE };

/** The sections of a kind's form, or null where there is none. */
export const formOf = (kind) => FORMS[kind]?.() ?? null;

/** The values that a choice may take, from the schema; list indexes are looked through. */
export function valuesOf(schema, kind, path) {
  let field = { fields: schema[kind]?.fields };
  for (const key of path) if (typeof key === "string") field = field?.fields?.[key];
  return field?.values ?? [];
}
