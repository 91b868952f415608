/** What is open on the screen, changed: a dialog, a tab, the filter; and what is read aloud. */
import { store } from "./store.js";

/** Open a dialog of shell/dialogs.js; `given` is what it is about. */
export const openDialog = (name, given = {}) => {
  store.dialog.value = { name, ...given };
};

export const closeDialog = () => {
  store.dialog.value = null;
};

/** The tab of a narrow page. */
export const showPanel = (name) => {
  store.panel.value = name;
};

/** The tab of the right panel. */
export const showTab = (name) => {
  store.side.value = name;
};

export const filterBy = (text) => {
  store.filter.value = text;
};

/** Have a sentence read aloud, politely. */
export const speakOut = (sentence) => {
  store.spoken.value = sentence;
};
