/** A configuration of the past: asked about, and taken over as a draft of this cluster's profile. */
import { post } from "../base/api.js";
import { closeDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { editProfile, loadForm, profile } from "../profile/actions.js";
import { openSide } from "../cycle/select.js";

// Those that could not read what today's do.
const OLD = ["v1.20.2", "v1.10-preset"];

/** {what, removed_in, where, yaml, lines, problems} of a text; a refusal has the same shape. */
export const translate = (text) =>
  post("past/translate/", { text }).catch((error) => ({
    what: "",
    where: "",
    removed_in: "",
    yaml: "",
    lines: [],
    problems: error.problems ?? [{ path: "", message: error.message }],
  }));

/** Whether the open cluster's kube-scheduler reads what a translation gives. */
export const fitsHere = () => !OLD.includes(store.cluster.value?.emulates);

/** A draft of the profile, on its page; applying it is another step. */
export function takeAsProfile(yaml) {
  loadForm();
  editProfile(yaml);
  profile.revision.value += 1;
  closeDialog();
  openSide("profile");
}
