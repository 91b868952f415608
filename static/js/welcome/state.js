/** The opening: who comes for the first time sees a decision being made, and takes the controls when they like. */
import { signal } from "../../vendor/preact.js";
import { preferences } from "../base/preferences.js";
import { isGuest } from "../base/guest.js";

/** Is the page still the opening? */
export const opening = signal(false);

/** Are the panels of the page just coming in? */
export const arriving = signal(false);

const ARRIVED = 600; // ms

/** Does somebody come for the first time, and to nothing that an address names? */
export const isNewcomer = (moment) => !isGuest && !preferences.controls.peek() && moment.cluster === undefined;

/** The page grows out of the opening, at the moment that is on the screen. */
export function takeControls() {
  if (!opening.peek()) return;
  preferences.controls.value = true;
  arriving.value = true;
  opening.value = false;
  setTimeout(() => (arriving.value = false), ARRIVED);
}
