/** Actions of the page itself. */
import { logOut } from "../base/api.js";
import { openDecoder } from "../explain/actions.js";
import { LANGUAGES, _, fill, language, withWords } from "../base/i18n.js";
import { report } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { preferences } from "../base/preferences.js";
import { startTour } from "../welcome/tour.js";
import { group, letter, needsCluster, needsShown, nothing } from "../access/action_rows.js";

const speak = (code) => withWords(() => import("./language.js")).then((module) => module.speak(code), report);
const otherThan = (code) => () => (code === language() ? _("the page is in this language") : "");
const languages = () =>
  LANGUAGES.map(([code, name]) => [
    `language-${code}`,
    fill(_("the page in another language: {name}"), { name }),
    [],
    otherThan(code),
    () => speak(code),
  ]);

// The first export loads its code.
const take =
  (name, ...what) =>
  () =>
    withWords(() => import("../share/export.js")).then((all) => all[name](...what), report);

const onlyWithLogin = () => (document.body.dataset.local === "true" ? _("there is no login here") : "");

export const paging = () =>
  group(_("Page"), [
    [
      "palette",
      _("find an action or an object"),
      [{ key: "k", shown: "Ctrl+K", ctrl: true }, letter(":")],
      nothing,
      () => openDialog("palette"),
    ],
    ["keys", _("all actions and their keys"), [letter("?")], nothing, () => openDialog("keys")],
    [
      "single-keys",
      _("switch single keys on or off"),
      [],
      nothing,
      () => (preferences.singleKeys.value = !preferences.singleKeys.peek()),
    ],
    ["tour", _("take the tour"), [], needsCluster, startTour],
    ["lessons", _("take a lesson"), [], nothing, () => openDialog("lessons")],
    ["faithful", _("how faithful is this?"), [], needsCluster, () => openDialog("faithful")],
    ["decode", _("what does a FailedScheduling message mean?"), [], nothing, () => openDecoder()],
    ["share", _("share this moment"), [], needsCluster, () => openDialog("share")],
    ["gallery", _("moments worth a look: the gallery"), [], nothing, () => openDialog("gallery")],
    ["copy-link", _("copy the link to this moment"), [], needsCluster, take("copyLink")],
    [
      "storyboard",
      _("save this cycle as a page that steps without a server"),
      [],
      needsShown,
      take("exportStoryboard"),
    ],
    ["export-profile", _("export the profile as YAML"), [], needsCluster, take("exportFile", "config", "yaml")],
    ["export-cluster", _("export the cluster as YAML"), [], needsCluster, take("exportFile", "cluster", "yaml")],
    ...languages(),
    ["log-out", _("log out"), [], onlyWithLogin, logOut],
  ]);
