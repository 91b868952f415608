/** Quantities and times in a form for people. Values are in milli-CPU, bytes, and counts. */
import { formatNumber } from "./i18n.js";

const GIB = 2 ** 30;
const roundToText = (value, digits) => String(Number(value.toFixed(digits)));

const isInBytes = (resource) =>
  resource === "memory" || resource.includes("storage") || resource.startsWith("hugepages-");

/** Return the unit: "cpu" → "CPU", "memory" → "GiB", "nvidia.com/gpu" → "gpu". */
export function unitOf(resource) {
  if (resource === "cpu") return "CPU";
  if (isInBytes(resource)) return "GiB";
  return resource.split("/").at(-1);
}

/** Return the label of a resource's bar: "cpu" → "CPU", "nvidia.com/gpu" → "gpu", "ephemeral-storage" unchanged. */
export const resourceLabel = (resource) => (isInBytes(resource) ? resource : unitOf(resource));

/** Return the number in `unitOf(resource)`: 2500 milli-CPU → "2.5"; `brief` rounds: 37250 → "37.3". */
export function formatAmount(resource, value, brief = false) {
  if (resource === "cpu") return roundToText(value / 1000, brief ? (value < 1000 ? 2 : 1) : 3);
  if (isInBytes(resource))
    return value > 0 && value < GIB / 20 ? roundToText(value / GIB, 3) : roundToText(value / GIB, 1);
  return String(value);
}

/** Return "1.3 + 0.5 / 4 CPU"; without `added`: "1.3 / 4 CPU". */
export function formatUsage(resource, used, added, total, brief) {
  const addition = added ? ` + ${formatAmount(resource, added, brief)}` : "";
  const amounts = `${formatAmount(resource, used, brief)}${addition} / ${formatAmount(resource, total, brief)}`;
  return `${amounts} ${unitOf(resource)}`;
}

/** Format virtual time: 41.2 → "00:41.200", 3661 → "1:01:01.000". */
export function formatClock(seconds) {
  const ms = Math.round((seconds ?? 0) * 1000);
  const twoDigits = (value) => String(value).padStart(2, "0");
  const [h, m, s] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${h ? `${h}:` : ""}${twoDigits(m)}:${twoDigits(s)}.${String(ms % 1000).padStart(3, "0")}`;
}

/** Format a duration: 7.61 → "7.6 s", 95 → "1 min 35 s". */
export function formatDuration(seconds) {
  if (seconds < 60) return `${roundToText(Math.max(0, seconds), 1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Shorten a Pod's name: "default/web-7" → "web-7"; other namespaces stay. */
export const podName = (key) => (key?.startsWith("default/") ? key.slice(8) : (key ?? ""));

/** Shorten a reason for a card: "node(s) had untolerated taint {a: b}" → "untolerated taint {a: b}". */
export const shortenReason = (reason) =>
  reason.replace(/^node\(s\) (had |were |was |didn't match |didn't satisfy |didn't )?/, "");

/** Format counts: {Pod: 1200, Node: 3} → "1,200 Pod, 3 Node". */
export const formatKindCounts = (counts) =>
  Object.entries(counts)
    .map(([kind, count]) => `${formatNumber(count)} ${kind}`)
    .join(", ");
