/** The table of all actions, for the keyboard, the palette and the help. */
import { teaching } from "./class.js";
import { driving, timing } from "../drive/actions.js";
import { looking } from "./look.js";
import { making } from "./make.js";
import { paging } from "./page.js";
import { picturing } from "./picture.js";
import { onNode, onPod } from "../details/upkeep_actions.js";

/**
 * Return [{id, group, label, keys, blocked, run}], see action_rows.js; created per call so that labels follow the
 * language.
 */
export const actions = () => [
  ...driving(),
  ...timing(),
  ...looking(),
  ...making(),
  ...onNode(),
  ...onPod(),
  ...teaching(),
  ...paging(),
  ...picturing(),
];
