/** The header and the opening of a shared moment, and the cover of an embedded one. */
import { html } from "../../vendor/preact.js";
import { _, fill } from "../base/i18n.js";
import { theme } from "../base/preferences.js";
import { isEmbed, isCovered, touched } from "../base/guest.js";
import { refusal, shared, trying, createOwnCluster, wholePage } from "./shared_moment.js";
import { openDialog, toggleTheme } from "../base/screen.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";

function Try() {
  if (isEmbed)
    return html`<a class="btn primary" href=${wholePage()} target="_blank" rel="noopener">${_("Open and try it")}</a>`;
  return html`<button type="button" class="btn primary" disabled=${trying.value || !shared.value}
    onClick=${createOwnCluster}>
    ${trying.value ? _("Creating your cluster…") : _("Try it yourself")}
  </button>`;
}

export function SharedHeader({ narrow, logo }) {
  const about = shared.value;
  const themed = theme() === "dark" ? _("Light theme") : _("Dark theme");
  return html`<header class="top shared">
    ${logo}
    <b class="cut shared-title" title=${about && _(about.title)}>${about ? _(about.title) : _("Shared snapshot")}</b>
    ${
      about &&
      html`<span class="fact shared-version">
        <span class="quiet">${_("emulates")}</span> <b>${about.emulates}</b>
      </span>`
    }
    ${
      about &&
      !narrow &&
      html`<span class="fact"><span class="quiet">${_("seed")}</span> <b>${store.cluster.value?.seed ?? ""}</b></span>`
    }
    ${!narrow && html`<span class="fact quiet">${_("shared snapshot, read-only")}</span>`}
    <span class="grow" />
    ${
      !narrow &&
      html`<button type="button" class="btn find" onClick=${() => openDialog("palette")}
        title=${_("Command palette")}
      >${icon("find")} <span class="wide-only">${_("Find")}</span> <kbd>Ctrl+K</kbd></button>`
    }
    <button type="button" class="btn icon" onClick=${toggleTheme} aria-label=${themed} title=${themed}>
      ${icon("theme")}
    </button>
    ${
      !narrow &&
      html`<button type="button" class="btn icon" onClick=${() => openDialog("keys")} aria-label=${_("Keys")}
        title=${_("Keys")}
      >?</button>`
    }
    <${Try} />
  </header>`;
}

/** The progress until the moment shows, or its error. */
export function SharedOpening() {
  return html`<main class="shared-opening" id="main">
    ${
      refusal.value
        ? html`
          <h2>${_("This snapshot cannot be opened")}</h2>
          <p class="refusal">${refusal.value}</p>
          <p>
            <a class="btn" href="/" target=${isEmbed ? "_blank" : undefined} rel="noopener">
              ${_("To the playground")}
            </a>
          </p>
        `
        : html`<p class="quiet" role="status">
          ${
            shared.value
              ? fill(_("Preparing “{title}”…"), { title: _(shared.value.title) })
              : _("Opening a shared snapshot…")
          }
        </p>`
    }
  </main>`;
}

/** The cover of an embed before the first click, which calls `onTouch`. */
export function EmbedCover({ onTouch }) {
  if (!isCovered.value) return null;
  const touch = () => {
    touched.value = true;
    onTouch();
  };
  return html`<button type="button" class="embed-cover" onClick=${touch}>
    <span>${_("Click to step and look around")}</span>
  </button>`;
}
