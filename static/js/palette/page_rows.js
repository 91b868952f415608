/** Actions of the page itself. */
import { logOut } from "../base/api.js";
import { openDecoder } from "../explain/open_explanation.js";
import { LANGUAGES, _, fill, language, loadWithMessages } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { preferences } from "../base/preferences.js";
import { startTour } from "../welcome/tour.js";
import { actionGroup, singleKey, needsCluster, needsShown, neverBlocked } from "../access/action_rows.js";

const loadLanguage = (code) =>
  loadWithMessages(() => import("./change_language.js")).then((module) => module.changeLanguage(code), reportError);
const blockedIfCurrent = (code) => () => (code === language() ? _("this language is in use") : "");
const languageRows = () =>
  LANGUAGES.map(([code, name]) => [
    `language-${code}`,
    fill(_("switch language: {name}"), { name }),
    [],
    blockedIfCurrent(code),
    () => loadLanguage(code),
  ]);

// The first export loads its code.
const runExport =
  (name, ...parameters) =>
  () =>
    loadWithMessages(() => import("../share/export.js")).then((exports) => exports[name](...parameters), reportError);

const onlyWithLogin = () => (document.body.dataset.local === "true" ? _("there is no login here") : "");

export const pageActions = () =>
  actionGroup(_("General"), [
    [
      "palette",
      _("command palette"),
      [{ key: "k", shown: "Ctrl+K", ctrl: true }, singleKey(":")],
      neverBlocked,
      () => openDialog("palette"),
    ],
    ["keys", _("keyboard shortcuts"), [singleKey("?")], neverBlocked, () => openDialog("keys")],
    [
      "single-keys",
      _("switch single keys on or off"),
      [],
      neverBlocked,
      () => (preferences.singleKeys.value = !preferences.singleKeys.peek()),
    ],
    ["tour", _("take the tour"), [], needsCluster, startTour],
    ["lessons", _("take a lesson"), [], neverBlocked, () => openDialog("lessons")],
    ["faithful", _("how faithful is this?"), [], needsCluster, () => openDialog("faithful")],
    ["decode", _("what does a FailedScheduling message mean?"), [], neverBlocked, () => openDecoder()],
    ["share", _("share a snapshot"), [], needsCluster, () => openDialog("share")],
    ["gallery", _("examples gallery"), [], neverBlocked, () => openDialog("gallery")],
    ["copy-link", _("copy the link to this view"), [], needsCluster, runExport("copyLink")],
    ["storyboard", _("save this cycle as HTML"), [], needsShown, runExport("exportStoryboard")],
    ["export-profile", _("export the profile as YAML"), [], needsCluster, runExport("exportFile", "config", "yaml")],
    ["export-cluster", _("export the cluster as YAML"), [], needsCluster, runExport("exportFile", "cluster", "yaml")],
    ...languageRows(),
    ["log-out", _("log out"), [], onlyWithLogin, logOut],
  ]);
