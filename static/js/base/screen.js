/** Changes what is on the screen: dialog, tab, panel, filter, theme, and the sentence for screen readers. */
import { preferences, theme } from "./preferences.js";
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

/** Open or close a panel beside the cluster, one at a time; on a narrow page it is a tab, and the open one. */
export function toggleBeside(name) {
  const open = !preferences[name].peek();
  for (const panel of ["source", "terminal"]) preferences[panel].value = open && panel === name;
  store.panel.value = open ? name : "cluster";
}

export function toggleTheme() {
  preferences.theme.value = theme() === "dark" ? "light" : "dark";
}

/** Have a screen reader read a sentence, politely. */
export const speakOut = (sentence) => {
  store.spoken.value = sentence;
};
