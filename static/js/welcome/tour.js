/** The state of the tour. Its texts are in welcome/tour_steps.js, loaded with the first tour. */
import { signal } from "../../vendor/preact.js";

/** {step}: the current step; null while the tour is closed. */
export const tour = signal(null);

export function startTour() {
  tour.value = { step: 0 };
}

export function endTour() {
  tour.value = null;
}
