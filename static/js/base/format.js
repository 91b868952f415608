/** Quantities and times in a form for people. Values are in milli-CPU, bytes, and counts. */
import { number } from "./i18n.js";

const GIB = 2 ** 30;
const trim = (value, digits) => String(Number(value.toFixed(digits)));

/** Return true if this resource is measured in bytes. */
const inBytes = (resource) =>
  resource === "memory" || resource.includes("storage") || resource.startsWith("hugepages-");

/** Return the unit: "cpu" → "CPU", "memory" → "GiB", "nvidia.com/gpu" → "gpu". */
export function unit(resource) {
  if (resource === "cpu") return "CPU";
  if (inBytes(resource)) return "GiB";
  return resource.split("/").at(-1);
}

/** Return the label of a resource's bar: "cpu" → "CPU", "nvidia.com/gpu" → "gpu", "ephemeral-storage" unchanged. */
export const resourceWord = (resource) => (inBytes(resource) ? resource : unit(resource));

/** Return the number in `unit(resource)`: 2500 milli-CPU → "2.5"; `brief` rounds: 37250 → "37.3". */
export function amount(resource, value, brief = false) {
  if (resource === "cpu") return trim(value / 1000, brief ? (value < 1000 ? 2 : 1) : 3);
  if (inBytes(resource)) return value > 0 && value < GIB / 20 ? trim(value / GIB, 3) : trim(value / GIB, 1);
  return String(value);
}

/** Return "1.3 + 0.5 / 4 CPU"; without `added`: "1.3 / 4 CPU". */
export function share(resource, used, added, total, brief) {
  const plus = added ? ` + ${amount(resource, added, brief)}` : "";
  return `${amount(resource, used, brief)}${plus} / ${amount(resource, total, brief)} ${unit(resource)}`;
}

/** Format virtual time: 41.2 → "00:41.200", 3661 → "1:01:01.000". */
export function clock(seconds) {
  const ms = Math.round((seconds ?? 0) * 1000);
  const two = (value) => String(value).padStart(2, "0");
  const [h, m, s] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${h ? `${h}:` : ""}${two(m)}:${two(s)}.${String(ms % 1000).padStart(3, "0")}`;
}

/** Format a duration: 7.61 → "7.6 s", 95 → "1 min 35 s". */
export function duration(seconds) {
  if (seconds < 60) return `${trim(Math.max(0, seconds), 1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Shorten a Pod's name: "default/web-7" → "web-7"; other namespaces stay. */
export const podName = (key) => (key?.startsWith("default/") ? key.slice(8) : (key ?? ""));

/** Shorten a reason for a card: "node(s) had untolerated taint {a: b}" → "untolerated taint {a: b}". */
export const shortReason = (reason) =>
  reason.replace(/^node\(s\) (had |were |was |didn't match |didn't satisfy |didn't )?/, "");

/** Format counts: {Pod: 1200, Node: 3} → "1,200 Pod, 3 Node". */
export const kindsText = (counts) =>
  Object.entries(counts)
    .map(([kind, count]) => `${number(count)} ${kind}`)
    .join(", ");
