/** Actions of the page itself. */
import { logOut } from "../base/api.js";
import { openDecoder } from "../explain/actions.js";
import { copyLink, exportFile, exportStoryboard } from "../share/export.js";
import { _, fill } from "../base/i18n.js";
import { LANGUAGES, language, speak } from "../shell/language.js";
import { preferences } from "../base/preferences.js";
import { startTour } from "../welcome/tour.js";
import { dialog, group, letter, needsCluster, needsShown, nothing } from "./entry.js";

const otherThan = (code) => () => (code === language() ? _("the page is in this language") : "");
const languages = () =>
  LANGUAGES.map(([code, name]) => [
    `language-${code}`,
    fill(_("the page in another language: {name}"), { name }),
    [],
    otherThan(code),
    () => speak(code),
  ]);

const onlyWithLogin = () => (document.body.dataset.local === "true" ? _("there is no login here") : "");

export const paging = () =>
  group(_("Page"), [
    [
      "palette",
      _("find an action or an object"),
      [{ key: "k", shown: "Ctrl+K", ctrl: true }, letter(":")],
      nothing,
      () => dialog("palette"),
    ],
    ["keys", _("all actions and their keys"), [letter("?")], nothing, () => dialog("keys")],
    [
      "single-keys",
      _("switch single keys on or off"),
      [],
      nothing,
      () => (preferences.singleKeys.value = !preferences.singleKeys.peek()),
    ],
    ["tour", _("take the tour"), [], needsCluster, startTour],
    ["lessons", _("take a lesson"), [], nothing, () => dialog("lessons")],
    ["faithful", _("how faithful is this?"), [], needsCluster, () => dialog("faithful")],
    ["decode", _("what does a FailedScheduling message mean?"), [], nothing, () => openDecoder()],
    ["share", _("share this moment"), [], needsCluster, () => dialog("share")],
    ["gallery", _("moments worth a look: the gallery"), [], nothing, () => dialog("gallery")],
    ["copy-link", _("copy the link to this moment"), [], needsCluster, copyLink],
    ["storyboard", _("save this cycle as a page that steps without a server"), [], needsShown, exportStoryboard],
    ["export-profile", _("export the profile as YAML"), [], needsCluster, () => exportFile("config", "yaml")],
    ["export-cluster", _("export the cluster as YAML"), [], needsCluster, () => exportFile("cluster", "yaml")],
    ...languages(),
    ["log-out", _("log out"), [], onlyWithLogin, logOut],
  ]);
