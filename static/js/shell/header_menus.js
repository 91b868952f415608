/** Items of the header's menus, loaded when one opens. */
import { html } from "../../vendor/preact.js";
import { openDecoder } from "../explain/open_explanation.js";
import { confirmReset } from "../drive/run.js";
import { isOffered } from "../access/allowed.js";
import { LANGUAGES, _, fill, language } from "../base/i18n.js";
import { changeLanguage } from "../palette/change_language.js";
import { learningItems } from "./learning_menu.js";
import { theme } from "../base/preferences.js";
import { openDialog, toggleTheme } from "../base/screen.js";
import { MenuItem } from "../parts/menu.js";

export const LanguageItems = ({ close }) =>
  LANGUAGES.map(
    ([code, name]) =>
      html`<${MenuItem} key=${code} lang=${code} current=${code === language()}
        onPick=${() => (close(), changeLanguage(code))}>
        ${name}
      <//>`,
  );

/** The items that do not fit in a narrow header; `tabs`: more of them, for a phone. */
export function MoreItems({ cluster, tabs, close }) {
  const open = (name) => (openDialog(name), close());
  return html`
  ${
    cluster &&
    html`
      <p class="menu-head">
        ${fill(_("emulates {version}"), { version: cluster.emulates })} · ${fill(_("seed {seed}"), {
          seed: cluster.seed,
        })}
      </p>
      ${isOffered("new") && html`<${MenuItem} onPick=${() => open("new")}>${_("New object")}<//>`}
      ${isOffered("import") && html`<${MenuItem} onPick=${() => open("import")}>${_("Import")}<//>`}
      ${isOffered("compare") && html`<${MenuItem} onPick=${() => open("compare")}>${_("Compare profiles")}<//>`}
      ${
        isOffered("reset") &&
        html`<${MenuItem}
        onPick=${() => (confirmReset(), close())}>${_("Reset to the start")}<//>`
      }
    `
  }
  ${tabs && html`${learningItems(close)}<hr />`}
  <${MenuItem} onPick=${() => open("palette")} hint="Ctrl+K">${_("Command palette")}<//>
  <${MenuItem} onPick=${() => (openDecoder(), close())}>${_("What does a message mean?")}<//>
  <${MenuItem} onPick=${() => (toggleTheme(), close())}>
    ${theme() === "dark" ? _("Light theme") : _("Dark theme")}
  <//>
  <${MenuItem} onPick=${() => open("keys")}>${_("Keys")}<//>
  <hr />
  <${LanguageItems} close=${close} />
  `;
}
