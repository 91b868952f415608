/** Translations of legacy configurations, which can become a draft of the open cluster's profile. */
import { post } from "../base/api.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { editProfile, loadForm, profile } from "./profile_actions.js";
import { openSideTab } from "../cycle/selection.js";

// Versions that cannot read the translation.
const OLD = ["v1.20.2", "v1.10-preset"];

/** Return the translation {what, removed_in, where, yaml, lines, problems} of a text; an error has the same shape. */
export const translateConfiguration = (text) =>
  post("past/translate/", { text }).catch((error) => ({
    what: "",
    where: "",
    removed_in: "",
    yaml: "",
    lines: [],
    problems: error.problems ?? [{ path: "", message: error.message }],
  }));

/** Return true if the open cluster's kube-scheduler can read a translation. */
export const fitsHere = () => !OLD.includes(store.cluster.value?.emulates);

/** Open a translation as a draft of the profile; the user applies it. */
export function takeAsProfile(yaml) {
  loadForm();
  editProfile(yaml);
  profile.revision.value += 1;
  closeDialog();
  openSideTab("profile");
}
