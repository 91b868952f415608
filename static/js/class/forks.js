/** What a follower forked in a class: kept by this page, so that it is there when the class is over. */
import { leaveCluster, openCluster } from "../clusters/clusters.js";
import { get } from "../base/api.js";
import { over } from "../access/class_membership.js";

const place = (id) => `forks of class ${id}`;
const idsOf = (id) => JSON.parse(sessionStorage.getItem(place(id)) ?? "[]");

export const remember = (id, fork) => sessionStorage.setItem(place(id), JSON.stringify([...idsOf(id), fork]));

/** The teacher's cluster leaves the page of a follower; what they forked is offered. */
export async function endWith({ id, cluster_name: name }) {
  leaveCluster();
  over.value = { name, forks: [] };
  const ids = idsOf(id);
  if (!ids.length) return;
  const forks = (await get("clusters/")).filter((cluster) => ids.includes(cluster.id));
  if (over.peek()) over.value = { name, forks };
}

/** On with a fork, as with any cluster of one's own. */
export const goOn = (id) =>
  openCluster(id).then(
    () => (over.value = null),
    () => {},
  ); // it says itself what went wrong
