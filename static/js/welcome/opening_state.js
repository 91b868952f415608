/** The state of the opening: new users see a decision until they start the page. */
import { signal } from "../../vendor/preact.js";
import { preferences } from "../base/preferences.js";
import { isGuest } from "../base/guest.js";

/** True while the page is the opening. */
export const opening = signal(false);

/** True while the panels of the page appear. */
export const arriving = signal(false);

const ARRIVED = 600; // ms

/** Return true for a first visit whose address names nothing. */
export const isNewcomer = (moment) => !isGuest && !preferences.controls.peek() && moment.cluster === undefined;

/** End the opening and show the page at the same moment. */
export function takeControls() {
  if (!opening.peek()) return;
  preferences.controls.value = true;
  arriving.value = true;
  opening.value = false;
  setTimeout(() => (arriving.value = false), ARRIVED);
}
