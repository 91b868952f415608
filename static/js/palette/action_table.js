/** The table of all actions, for the keyboard, the palette and the help. */
import { classActions } from "./class_rows.js";
import { driving, timing } from "../drive/playback_actions.js";
import { viewActions } from "./view_rows.js";
import { objectActions } from "./object_rows.js";
import { pageActions } from "./page_rows.js";
import { pictureActions } from "./picture_rows.js";
import { nodeActions, podActions } from "../details/node_pod_actions.js";

/**
 * Return [{id, group, label, keys, blocked, run}], see action_rows.js; created per call so that labels follow the
 * language.
 */
export const actions = () => [
  ...driving(),
  ...timing(),
  ...viewActions(),
  ...objectActions(),
  ...nodeActions(),
  ...podActions(),
  ...classActions(),
  ...pageActions(),
  ...pictureActions(),
];
