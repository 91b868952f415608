/** Colors by owner: the seven owners with most pods have one each, all others share the last. */
import { effect, signal } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { _, fill, number } from "../base/i18n.js";
import { coalesce } from "../base/latest.js";
import { report } from "../base/notices.js";
import { preferences } from "../base/preferences.js";
import { store } from "../base/store.js";
import { ownerMap } from "./heat.js";
import { ownerOf, placedFor } from "../nodes/pods_on_nodes.js";
import { nodesInView } from "../nodes/nodes_model.js";

const FROM = 5; // heat-5 is the first of these colors
const NAMED = 7;
const NOBODY = "-1";

const known = signal(null);
let begun = false;

const refresh = coalesce(async () => {
  const id = store.cluster.peek()?.id;
  if (!id || preferences.colour.peek() !== "owner") return;
  const past = placedFor();
  try {
    const found = await get(`${of(id, "owners")}${past === null ? "" : `?cycle=${past}`}`);
    if (store.cluster.peek()?.id === id) known.value = { id, ...found };
  } catch (error) {
    report(error);
  }
}, 250);

/** Shorten an owner: "Deployment shop/web" → "web Deployment". */
function nameOf(owner) {
  const [kind, key] = owner.split(" ");
  return `${key.split("/").at(-1)} ${kind}`;
}

const colour = (place) => FROM + Math.min(NAMED, place);

/** Return node colors like `heat.js`: by the owner with most pods on the node. */
function colours({ owners, counts, nodes }, model) {
  const places = new Map(owners.map((owner, place) => [owner, place]));
  const most = (i) => {
    const found = Object.entries(nodes[model.columns.names[i]] ?? {}).filter(([place]) => place !== NOBODY);
    // A DaemonSet is on every node, so it counts only without another owner.
    const everywhere = (entry) => owners[entry[0]].startsWith("DaemonSet ");
    return (
      found.sort(
        (a, b) => Number(everywhere(a)) - Number(everywhere(b)) || b[1] - a[1] || Number(a[0]) - Number(b[0]),
      )[0] ?? null
    );
  };
  const rest = counts.slice(NAMED).reduce((sum, count) => sum + count, 0);
  const named = owners.slice(0, NAMED).map((owner, place) => `${nameOf(owner)} ${number(counts[place])}`);
  const loose = Object.values(nodes).some((node) => node[NOBODY]);
  return {
    from: FROM,
    step: (i) => (most(i) ? colour(Number(most(i)[0])) : null),
    word: (i) => (most(i) ? nameOf(owners[most(i)[0]]).split(" ")[0] : ""),
    legend: owners.length > NAMED ? [...named, fill(_("others {n}"), { n: number(rest) })] : named,
    none: loose || !owners.length ? _("no owner") : null,
    ofPod: (pod) => {
      const place = places.get(ownerOf.value.get(pod));
      return place === undefined ? null : `heat-${colour(place)}`;
    },
  };
}

/** Start to fetch the owners whenever the moment changes while these colors are shown. */
export function begin() {
  if (begun) return;
  begun = true;
  effect(() => {
    if (
      preferences.colour.value === "owner" &&
      store.cluster.value?.revision !== undefined &&
      nodesInView.value.columns
    )
      refresh();
  });
  effect(() => {
    const found = known.value;
    ownerMap.value = found?.id === store.cluster.value?.id ? (model) => colours(found, model) : null;
  });
}
