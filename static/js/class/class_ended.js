/** The end of a class for its followers: only their own forks remain. */
import { html } from "../../vendor/preact.js";
import { openFork } from "./follower_forks.js";
import { endedClass } from "../access/class_membership.js";
import { _, fill } from "../base/i18n.js";

export function ClassOver() {
  const { name, forks } = endedClass.value;
  return html`<main class="welcome class-over" id="main" tabindex="-1">
    <h2>${_("The class is over.")}</h2>
    <p class="lead">${fill(_("{name} belonged to the teacher and is no longer shown."), { name })}</p>
    ${
      forks.length > 0
        ? html`
          <p>${_("Your forks:")}</p>
          <ul>
            ${forks.map(
              (fork) => html`<li key=${fork.id}>
                <button type="button" class="btn primary" onClick=${() => openFork(fork.id)}>${fork.name}</button>
              </li>`,
            )}
          </ul>
        `
        : html`<p class="quiet">${_("You made no forks in this class.")}</p>`
    }
  </main>`;
}
