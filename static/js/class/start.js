/** The page's start in a class: its class is read before the cluster is opened. */
import { get } from "../api.js";
import { arrived, enter } from "./follow.js";

export { arrived };

/** Enter the class with this number; nothing happens when it has just ended. */
export async function startInClass(id) {
  try {
    enter(await get(`classes/${id}/`));
  } catch (error) {
    if (error.status !== 404) throw error;
  }
}
