/** The header: cluster, profile, emulated version, leader, and their menus. */
import { html } from "../../vendor/preact.js";
import { logOut } from "../base/api.js";
import { openSideTab } from "../cycle/selection.js";
import { isOffered } from "../access/allowed.js";
import { _, fill } from "../base/i18n.js";
import { opening } from "../welcome/opening_state.js";
import { theme } from "../base/preferences.js";
import { openDialog, toggleTheme } from "../base/screen.js";
import { store } from "../base/store.js";
import { formatDuration } from "../base/format.js";
import { ClusterMenu } from "../clusters/cluster_menu.js";
import { Learning } from "./learning_menu.js";
import { icon } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { Menu } from "../parts/menu.js";

export const Logo = () => html`<h1 class="logo">
  <span class="sr">${_("kube-scheduler playground")}</span>
  <svg viewBox="0 0 20 20" aria-hidden="true">
    <rect x="1" y="1" width="18" height="18" rx="4" />
    <path d="M4 10.5h3l2-5 2.5 9 2-4H16" />
  </svg>
</h1>`;

/** The holder of the lease: leader election of kube-scheduler, with real failover. */
function Lease({ cluster }) {
  const { lease, state } = cluster;
  if (!lease)
    return html`<span class="fact" title=${_("No worker has this cluster's lease; the next command starts one")}>
      <i class="dot" /> ${_("worker idle")}
    </span>`;
  const text = lease.lost
    ? _("worker lost")
    : fill(_("lease {time}"), { time: formatDuration(Math.round(lease.expires_in)) });
  const tone = lease.lost ? "is-rejected" : "is-pass";
  const status = state === "queued" ? _("queued") : text;
  return html`<span class="fact" title=${_("The worker of this cluster, and the remaining time of its lease")}>
    <i class=${`dot ${tone}`} /> <b class="cut">${lease.holder}</b> <span class="quiet">${status}</span>
  </span>`;
}

const ExportItems = lazy(() => import("../share/export_menu.js").then((module) => module.ExportItems));

const ExportMenu = () => html`<${Menu} label=${_("Export")} align="end">
  ${(close) => html`<${ExportItems} close=${close} />`}
<//>`;

const LanguageItems = lazy(() => import("./header_menus.js").then((module) => module.LanguageItems));

const LanguageMenu = () =>
  html`<${Menu} className="languages" label=${html`${icon("language")}<span class="sr">${_("Language")}</span>`}
    title=${_("Language")} align="end"
  >${(close) => html`<${LanguageItems} close=${close} />`}<//>`;

const MoreItems = lazy(() => import("./header_menus.js").then((module) => module.MoreItems));

/** The menu for the parts that a narrow header omits. */
const More = ({ cluster, tabs }) => html`<${Menu} label=${html`<span class="sr">${_("More")}</span>⋯`} align="end">
  ${(close) => html`<${MoreItems} cluster=${cluster} tabs=${tabs} close=${close} />`}
<//>`;

/** The profile of the cycle on the screen, and the current version. */
function ProfileButton({ cluster }) {
  const name = store.shown.value?.record.cycle.profile ?? "default-scheduler";
  return html`<button type="button" class="btn" onClick=${() => openSideTab("profile")}
    title=${isOffered("apply-profile") ? _("Edit the profile") : _("Profile in use")}
  >
    <span class="quiet">${_("profile")}</span> <b class="cut">${name}</b> <span class="quiet">
      v
      ${cluster.config_version}
    </span>
  </button>`;
}

/** The open cluster; in the opening, the name of the product. */
const Place = () =>
  opening.value ? html`<b class="product cut">${_("kube-scheduler playground")}</b>` : html`<${ClusterMenu} />`;

/**
 * `narrow`: a menu has the parts that do not fit; `tabs`: on a phone more of them; `roomy`: lessons, gallery and
 * classes have buttons.
 */
export function Header({ narrow, tabs, roomy }) {
  const cluster = opening.value ? null : store.cluster.value;
  const local = document.body.dataset.local === "true";
  if (narrow) {
    return html`<header class="top">
      <${Logo} />
      <${Place} />
      ${cluster && !tabs && html`<${ProfileButton} cluster=${cluster} /><${Lease} cluster=${cluster} />`}
      <span class="grow" />
      ${!tabs && html`<${Learning} roomy=${!cluster} />`}
      ${
        cluster &&
        !tabs &&
        html`<button type="button" class="btn icon" onClick=${() => openDialog("palette")}
          aria-label=${_("Command palette")} title=${_("Command palette")}
        >${icon("find")}</button>`
      }
      ${
        cluster &&
        html`
          <span class="fact emulated" title=${cluster.emulates}>${cluster.emulates}</span>
          ${isOffered("export-cluster") && html`<${ExportMenu} />`}
        `
      }
      <${More} cluster=${cluster} tabs=${tabs} />
    </header>`;
  }
  return html`<header class="top">
    <${Logo} />
    <${Place} />
    ${
      cluster &&
      html`
        <${ProfileButton} cluster=${cluster} />
        <button type="button" class="fact wide-only" onClick=${() => openDialog("faithful")}
          title=${`${_("How faithful is this?")} · ${fill(_("seed {seed}"), { seed: cluster.seed })}`}
        >
          <span class="quiet">${_("emulates")}</span> <b class="emulated" title=${cluster.emulates}>
            ${cluster.emulates}
          </b>
        </button>
        <span class="fact seed wide-only"><span class="quiet">${_("seed")}</span> <b>${cluster.seed}</b></span>
        <${Lease} cluster=${cluster} />
      `
    }
    <span class="grow" />
    <${Learning} roomy=${roomy || !cluster} />
    ${
      cluster &&
      html`
        ${
          isOffered("new") &&
          html`<button type="button" class="btn" onClick=${() => openDialog("new")}>
            ${icon("plus")} ${_("New object")}
          </button>`
        }
        ${
          isOffered("import") &&
          html`<button type="button" class="btn" onClick=${() => openDialog("import")}>${_("Import")}</button>`
        }
        ${
          isOffered("compare") &&
          html`<button type="button" class="btn" onClick=${() => openDialog("compare")}>${_("Compare")}</button>`
        }
        ${
          isOffered("share") &&
          html`<button type="button" class="btn" onClick=${() => openDialog("share")}>${_("Share")}</button>`
        }
        ${isOffered("export-cluster") && html`<${ExportMenu} />`}
      `
    }
    <button type="button" class="btn find" onClick=${() => openDialog("palette")}
      title=${_("Command palette")}
    >${icon("find")} <span class="wide-only">${_("Find")}</span> <kbd>Ctrl+K</kbd></button>
    <${LanguageMenu} />
    <button type="button" class="btn icon" onClick=${toggleTheme}
      aria-label=${theme() === "dark" ? _("Light theme") : _("Dark theme")}
      title=${theme() === "dark" ? _("Light theme") : _("Dark theme")}
    >${icon("theme")}</button>
    <button type="button" class="btn icon" onClick=${() => openDialog("keys")} aria-label=${_("Keys")}
      title=${_("Keys")}
    >?</button>
    ${!local && html`<button type="button" class="btn bare" onClick=${logOut}>${_("Log out")}</button>`}
  </header>`;
}
