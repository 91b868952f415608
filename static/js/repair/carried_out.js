/** The repair that was carried out last: {pod, repair, cluster}; it can be undone while nothing else is begun. */
import { signal } from "../../vendor/preact.js";

export const carriedOut = signal(null);
