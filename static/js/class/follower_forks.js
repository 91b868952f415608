/** Forks that a follower made in a class. The page remembers them for the end of the class. */
import { leaveCluster, openCluster } from "../clusters/clusters.js";
import { get } from "../base/api.js";
import { endedClass } from "../access/class_membership.js";

const storageKey = (id) => `forks of class ${id}`;
const readForkIds = (id) => JSON.parse(sessionStorage.getItem(storageKey(id)) ?? "[]");

export const rememberFork = (id, fork) =>
  sessionStorage.setItem(storageKey(id), JSON.stringify([...readForkIds(id), fork]));

/** Close the teacher's cluster on a follower's page and offer the follower's forks. */
export async function showClassEnd({ id, cluster_name: name }) {
  leaveCluster();
  endedClass.value = { name, forks: [] };
  const ids = readForkIds(id);
  if (!ids.length) return;
  const forks = (await get("clusters/")).filter((cluster) => ids.includes(cluster.id));
  if (endedClass.peek()) endedClass.value = { name, forks };
}

/** Continue with a fork, like with any own cluster. */
export const openFork = (id) =>
  openCluster(id).then(
    () => (endedClass.value = null),
    () => {},
  ); // it reports its own errors
