/** The bar of a class. The teacher sees the code and who points; followers see where they are and the way back. */
import { html } from "../../vendor/preact.js";
import { openCluster } from "../clusters/clusters.js";
import { askEnd, copyClassLink, forkMoment, handPointer, leaveClass, openClass, shows, toggleLock } from "./actions.js";
import { here, refusal } from "../access/allowed.js";
import { backToTeacher, standing } from "./follow.js";
import { away, classPanel, inClass } from "../access/class_membership.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { showPanel } from "../base/screen.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";

const button = (label, onClick, extra = "", refused = "") =>
  html`<button type="button" class=${`btn small ${extra}`} title=${refused} disabled=${Boolean(refused)}
    onClick=${onClick}
  >${label}</button>`;

/** Return the code in two halves, which is easier to read aloud. */
const spaced = (code) => `${code.slice(0, 4)}-${code.slice(4)}`;

function PanelButton() {
  const toggle = () => {
    classPanel.value = !classPanel.peek();
    if (classPanel.peek()) showPanel("class");
  };
  return html`<button type="button" class="btn small" aria-pressed=${classPanel.value} onClick=${toggle}>
    ${_("Questions")}
  </button>`;
}

function Teacher({ now }) {
  const here = now.followers.filter((one) => one.here).length;
  return html`
    <b>${_("Your class")}</b>
    <span class="class-code" title=${_("With this code anybody can follow, at /join/")}>${spaced(now.code)}</span>
    ${button(_("Copy the link"), copyClassLink)}
    <span class="quiet" data-class="here">${ngettext("{n} follower here", "{n} followers here", here)}</span>
    ${
      !shows() &&
      html`
        <span class="is-waiting">${fill(_("They see {name}"), { name: now.cluster_name })}</span>
        ${store.cluster.value && button(_("Show them this cluster"), openClass, "primary")} ${button(
          _("Go there"),
          () => openCluster(now.cluster).catch(() => {}),
        )}
      `
    }
    <span class="grow" />
    ${
      now.pointer &&
      html`<span>
        ${icon("chosen", "is-chosen")} ${fill(_("{name} has the pointer"), {
          name: now.pointer.name,
        })}
      </span> ${button(_("Take it back"), () => handPointer(null), "primary")}`
    }
    <button type="button" class="btn small" aria-pressed=${now.locked}
      title=${_("While it is locked nobody can look around or fork")} onClick=${toggleLock}
    >${now.locked ? _("Unlock") : _("Lock")}</button>
    <${PanelButton} />
    ${button(_("End the class"), askEnd)}
  `;
}

function Follower({ now }) {
  return html`
    <b>${_("Class")}</b>
    <span role="status" data-class="standing">
      ${icon(away.value ? "candidate" : "chosen", away.value ? "is-waiting" : "is-chosen")} ${standing()}
    </span>
    ${away.value && button(_("Back to the teacher"), backToTeacher, "primary")}
    ${now.locked && html`<span class="quiet">${_("The teacher holds the view")}</span>`}
    <span class="grow" />
    ${now.question && html`<${PanelButton} />`}
    ${here.value === "follower" && button(_("Fork this moment"), forkMoment, "", refusal("class-fork"))}
    ${button(_("Leave"), leaveClass)}
  `;
}

export function ClassBar() {
  const now = inClass.value;
  return html`<section class=${`banner class-bar ${now.locked ? "locked" : ""}`} aria-label=${_("Class")}>
    ${now.role === "teacher" ? html`<${Teacher} now=${now} />` : html`<${Follower} now=${now} />`}
  </section>`;
}
