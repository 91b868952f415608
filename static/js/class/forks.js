/** Forks that a follower made in a class. The page remembers them for the end of the class. */
import { leaveCluster, openCluster } from "../clusters/clusters.js";
import { get } from "../base/api.js";
import { over } from "../access/class_membership.js";

const place = (id) => `forks of class ${id}`;
const idsOf = (id) => JSON.parse(sessionStorage.getItem(place(id)) ?? "[]");

export const remember = (id, fork) => sessionStorage.setItem(place(id), JSON.stringify([...idsOf(id), fork]));

/** Close the teacher's cluster on a follower's page and offer the follower's forks. */
export async function endWith({ id, cluster_name: name }) {
  leaveCluster();
  over.value = { name, forks: [] };
  const ids = idsOf(id);
  if (!ids.length) return;
  const forks = (await get("clusters/")).filter((cluster) => ids.includes(cluster.id));
  if (over.peek()) over.value = { name, forks };
}

/** Continue with a fork, like with any own cluster. */
export const goOn = (id) =>
  openCluster(id).then(
    () => (over.value = null),
    () => {},
  ); // it reports its own errors
