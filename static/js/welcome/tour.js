/** Whether the tour runs, and where it is. What it says is welcome/tour_steps.js, which comes with the first tour. */
import { signal } from "../../vendor/preact.js";

/** {step}: where it is; null while it does not run. */
export const tour = signal(null);

export function startTour() {
  tour.value = { step: 0 };
}

export function endTour() {
  tour.value = null;
}
