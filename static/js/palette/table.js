/** Every action of the page, in one table: the keyboard, the palette and the help read it. */
import { teaching } from "./class.js";
import { driving, timing } from "../drive/actions.js";
import { looking } from "./look.js";
import { making } from "./make.js";
import { paging } from "./page.js";
import { picturing } from "./picture.js";
import { onNode, onPod } from "../details/upkeep_actions.js";

/** [{id, group, label, keys, blocked, run}], see entry.js; made anew so that the words follow the language. */
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
