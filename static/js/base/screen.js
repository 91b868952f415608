/** The state of the screen: dialog, tab, panel, filter, theme, and the sentence for screen readers. */
import { preferences, theme } from "./preferences.js";
import { store } from "./store.js";

/** Open a dialog of shell/dialogs.js with these properties. */
export const openDialog = (name, properties = {}) => {
  store.dialog.value = { name, ...properties };
};

export const closeDialog = () => {
  store.dialog.value = null;
};

/** Show a tab of a narrow page. */
export const showPanel = (name) => {
  store.panel.value = name;
};

/** Show a tab of the right panel. */
export const showTab = (name) => {
  store.side.value = name;
};

export const filterBy = (text) => {
  store.filter.value = text;
};

/** Open or close a panel beside the cluster. Only one is open; on a narrow page it is a tab. */
export function toggleBeside(name) {
  const open = !preferences[name].peek();
  for (const panel of ["source", "terminal"]) preferences[panel].value = open && panel === name;
  store.panel.value = open ? name : "cluster";
}

export function toggleTheme() {
  preferences.theme.value = theme() === "dark" ? "light" : "dark";
}

/** Let a screen reader read a sentence, politely. */
export const speakOut = (sentence) => {
  store.spoken.value = sentence;
};
