/** Banners under the header: a lost connection, a lost worker, a slow command. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { restoreCluster } from "../clusters/clusters.js";
import { mayEdit } from "../access/allowed.js";
import { formatDuration } from "../base/format.js";
import { _, fill } from "../base/i18n.js";
import { dimmed, store } from "../base/store.js";
import { icon } from "../parts/icon.js";

const SLOW = 1000; // ms after which a command may be cancelled

/** The time that the server is busy, with a cancel button after a second. */
function Busy({ busy }) {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(timer);
  }, [busy]);
  const elapsed = Math.max(0, now - busy.since);
  if (elapsed < 250) return null;
  return html`<div class="banner">
    ${icon("waiting", "is-waiting")} <span>${busy.label}</span> <span class="quiet num">
      ${(elapsed / 1000).toFixed(1)} s
    </span>
    ${elapsed >= SLOW && html`<button type="button" class="btn small" onClick=${busy.cancel}>${_("Cancel")}</button>`}
  </div>`;
}

export function Banners() {
  const connection = store.connection.value;
  const lease = store.cluster.value?.lease;
  const busy = dimmed.value ? store.busy.value : null;
  return html`<div class="banners" role="status">
    ${
      connection === "lost" &&
      html`<div class="banner warn">
        ${icon("waiting", "is-waiting")} <b>${_("Reconnecting…")}</b> <span>
          ${_("You can still step through recorded cycles.")}
        </span>
      </div>`
    }
    ${
      connection === "denied" &&
      html`<div class="banner bad">
        ${icon("error", "is-error")} <b>${_("You can no longer access this cluster.")}</b> <a href="/">
          ${_("Reload")}
        </a>
      </div>`
    }
    ${
      connection === "deleted" &&
      html`<div class="banner bad" data-banner="deleted">
        ${icon("error", "is-error")} <b>${fill(_("{name} was deleted."), { name: store.cluster.value.name })}</b>
        ${
          mayEdit.value &&
          html`<button type="button" class="btn small" onClick=${() => restoreCluster(store.cluster.peek().id)}>
            ${_("Restore")}
          </button>`
        } <a href="/">${_("To the other clusters")}</a>
      </div>`
    }
    ${
      lease?.lost &&
      connection === "open" &&
      html`<div class="banner warn" data-banner="worker-lost">
        ${icon("waiting", "is-waiting")} <b>${_("The worker stopped.")}</b>
        <span>
          ${
            lease.expires_in > 0
              ? fill(_("Another takes over in {time}; nothing is lost."), {
                  time: formatDuration(Math.ceil(lease.expires_in)),
                })
              : _("Another takes over soon; nothing is lost.")
          }
        </span>
      </div>`
    }
    ${busy && html`<${Busy} busy=${busy} />`}
  </div>`;
}
