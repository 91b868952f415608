/** Colors by owner: the seven owners with most pods have one each, all others share the last. */
import { effect, signal } from "../../vendor/preact.js";
import { get, clusterPath } from "../base/api.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { coalesce } from "../base/latest.js";
import { reportError } from "../base/notices.js";
import { preferences } from "../base/preferences.js";
import { store } from "../base/store.js";
import { ownerMap } from "./node_colors.js";
import { ownerByPod, cycleToRequest } from "../nodes/pods_on_nodes.js";
import { nodesInView } from "../nodes/nodes_model.js";

const FROM = 5; // heat-5 is the first of these colors
const NAMED = 7;
const NOBODY = "-1";

const latest = signal(null);
let isFollowing = false;

const refresh = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  if (!id || preferences.colour.peek() !== "owner") return;
  const past = cycleToRequest();
  try {
    const answer = await get(`${clusterPath(id, "owners")}${past === null ? "" : `?cycle=${past}`}`);
    if (store.cluster.peek()?.id === id) latest.value = { id, ...answer };
  } catch (error) {
    reportError(error);
  }
}, 250);

/** Shorten an owner: "Deployment shop/web" → "web Deployment". */
function ownerName(owner) {
  const [kind, key] = owner.split(" ");
  return `${key.split("/").at(-1)} ${kind}`;
}

const colorOf = (rank) => FROM + Math.min(NAMED, rank);

/** Return node colors like `node_colors.js`: by the owner with most pods on the node. */
function ownerColors({ owners, counts, nodes }, model) {
  const places = new Map(owners.map((owner, place) => [owner, place]));
  const mainOwner = (i) => {
    const counted = Object.entries(nodes[model.columns.names[i]] ?? {}).filter(([place]) => place !== NOBODY);
    // A DaemonSet is on every node, so it counts only without another owner.
    const everywhere = (entry) => owners[entry[0]].startsWith("DaemonSet ");
    return (
      counted.sort(
        (a, b) => Number(everywhere(a)) - Number(everywhere(b)) || b[1] - a[1] || Number(a[0]) - Number(b[0]),
      )[0] ?? null
    );
  };
  const rest = counts.slice(NAMED).reduce((sum, count) => sum + count, 0);
  const named = owners.slice(0, NAMED).map((owner, place) => `${ownerName(owner)} ${formatNumber(counts[place])}`);
  const loose = Object.values(nodes).some((node) => node[NOBODY]);
  return {
    from: FROM,
    step: (i) => (mainOwner(i) ? colorOf(Number(mainOwner(i)[0])) : null),
    word: (i) => (mainOwner(i) ? ownerName(owners[mainOwner(i)[0]]).split(" ")[0] : ""),
    legend: owners.length > NAMED ? [...named, fill(_("others {n}"), { n: formatNumber(rest) })] : named,
    none: loose || !owners.length ? _("no owner") : null,
    ofPod: (pod) => {
      const place = places.get(ownerByPod.value.get(pod));
      return place === undefined ? null : `heat-${colorOf(place)}`;
    },
  };
}

/** Start to fetch the owners whenever the moment changes while these colors are shown. */
export function followOwners() {
  if (isFollowing) return;
  isFollowing = true;
  effect(() => {
    if (
      preferences.colour.value === "owner" &&
      store.cluster.value?.revision !== undefined &&
      nodesInView.value.columns
    )
      refresh();
  });
  effect(() => {
    const answer = latest.value;
    ownerMap.value = answer?.id === store.cluster.value?.id ? (model) => ownerColors(answer, model) : null;
  });
}
