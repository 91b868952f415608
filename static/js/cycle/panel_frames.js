/** The frame that each panel draws. The frame scheduler decides when a panel gets it; views call `useFrame`. */
import { computed, createContext, html, useContext } from "../../vendor/preact.js";
import { frameScheduler } from "../base/frame_scheduler.js";
import { isNewest, store } from "../base/store.js";
import { frameAt } from "./frame.js";

const frames = new WeakMap();

/** Return the frame of a moment, shared by all panels; null before the first cycle. */
function frameOf(moment) {
  if (!moment) return null;
  if (!frames.has(moment)) frames.set(moment, frameAt(moment.record, moment.matrix, moment.step));
  return frames.get(moment);
}

// In the order of drawing. The first two show the decision and draw immediately.
const [cluster, pipeline, matrix, details] = frameScheduler(store.shown, 4, 2);

/** The moments by panel, for models outside of views. */
export const panelMoments = { cluster, pipeline, matrix, details };

const Panel = createContext("details");

/** Return `View` as the root of panel `name`: its views draw the frames of this panel. */
export const asPanel = (name, View) => (props) => html`<${Panel.Provider} value=${name}><${View} ...${props} /><//>`;

/** Return the frame that the panel around the calling view draws; null before the first cycle. */
export const useFrame = () => frameOf(panelMoments[useContext(Panel)].value);

/** Return the frame of the moment on the screen, for actions and dialogs. */
export const currentFrame = () => frameOf(store.shown.value);

/** Return a signal: true if this moment is the newest one, also while the panel still waits for it. */
export const atHeadOf = (moment) =>
  computed(() => (store.following.value && isNewest(store.shown.value)) || isNewest(moment.value));
