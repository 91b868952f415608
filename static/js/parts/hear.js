/** Hears keys before anyone else, for as long as a view is there, and from the moment on in which it is seen. */
import { useLayoutEffect } from "../../vendor/preact.js";

/** `hear` gets each keydown; `deps` say when it has changed, as for effects; nothing is heard while `on` is false. */
export function useKeydown(hear, deps = [], on = true) {
  // Not an ordinary effect: that comes a frame after the view, and a key pressed in between would be lost.
  useLayoutEffect(() => {
    if (!on) return undefined;
    document.addEventListener("keydown", hear, true);
    return () => document.removeEventListener("keydown", hear, true);
  }, [on, ...deps]);
}
