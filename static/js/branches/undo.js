/** Undo and redo: how, comes with the first press. */
import { withWords } from "../base/i18n.js";
import { report } from "../base/notices.js";

const take = (way) => withWords(() => import("./undoing.js")).then((module) => module.takeBack(way), report);

export const undo = () => take("undo");
export const redo = () => take("redo");
