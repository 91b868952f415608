/** A hook that handles keydown events before the rest of the page. */
import { useLayoutEffect } from "../../vendor/preact.js";

/** Call `listener(event)` for each keydown while `on`; `deps` are the dependencies of the listener, as for effects. */
export function useKeydown(listener, deps = [], on = true) {
  // An ordinary effect runs a frame after the view appears, and would lose a key in between.
  useLayoutEffect(() => {
    if (!on) return undefined;
    document.addEventListener("keydown", listener, true);
    return () => document.removeEventListener("keydown", listener, true);
  }, [on, ...deps]);
}
