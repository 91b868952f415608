/** The page's start in a class: its class is read before the cluster is opened. */
import { get } from "../base/api.js";
import { carry, takeOver } from "../base/drafts.js";
import { arrived, enter } from "./follow.js";
import { showPanel } from "../base/screen.js";
import { away, classPanel, heldFrom } from "./state.js";

/** Enter the class with this number, then let `open` open the cluster. A class that has just ended is as none. */
export async function startInClass(id, open) {
  try {
    enter(await get(`classes/${id}/`));
    // Who looks around goes on looking around, and an open question stays open.
    const carried = takeOver(`class ${id}`);
    if (carried === null && heldFrom.peek() !== null) {
      classPanel.value = true;
      showPanel("class");
    }
    if (carried) [away.value, classPanel.value] = [carried.away, carried.panel];
    carry(`class ${id}`, () => ({ away: away.peek(), panel: classPanel.peek() }));
  } catch (error) {
    if (error.status !== 404) throw error;
  }
  await open();
  arrived();
}
