/** The repair that was applied last: {pod, repair, cluster}; it can be undone while nothing else is begun. */
import { signal } from "../../vendor/preact.js";

export const appliedRepair = signal(null);
