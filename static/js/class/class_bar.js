/** The bar of a class. The teacher sees the code and who points; followers see where they are and the way back. */
import { html } from "../../vendor/preact.js";
import { openCluster } from "../clusters/clusters.js";
import {
  confirmEndClass,
  copyClassLink,
  forkMoment,
  handPointer,
  leaveClass,
  openClass,
  isShownToClass,
  toggleLock,
} from "./class_actions.js";
import { clusterRole, refusal } from "../access/allowed.js";
import { backToTeacher, followingText } from "./class_pointer.js";
import { isLookingAround, classPanel, inClass } from "../access/class_membership.js";
import { _, fill, ngettext } from "../base/i18n.js";
import { showPanel } from "../base/screen.js";
import { store } from "../base/store.js";
import { icon } from "../parts/icon.js";

const button = (label, onClick, extra = "", refused = "") =>
  html`<button type="button" class=${`btn small ${extra}`} title=${refused} disabled=${Boolean(refused)}
    onClick=${onClick}
  >${label}</button>`;

/** Return the code in two halves, which is easier to read aloud. */
const spacedCode = (code) => `${code.slice(0, 4)}-${code.slice(4)}`;

function PanelButton() {
  const toggle = () => {
    classPanel.value = !classPanel.peek();
    if (classPanel.peek()) showPanel("class");
  };
  return html`<button type="button" class="btn small" aria-pressed=${classPanel.value} onClick=${toggle}>
    ${_("Questions")}
  </button>`;
}

function Teacher({ classState }) {
  const presentCount = classState.followers.filter((follower) => follower.here).length;
  return html`
    <b>${_("Your class")}</b>
    <span class="class-code"
      title=${_("Anyone with this code can follow at /join/")}>${spacedCode(classState.code)}</span>
    ${button(_("Copy the link"), copyClassLink)}
    <span class="quiet" data-class="here">${ngettext("{n} follower here", "{n} followers here", presentCount)}</span>
    ${
      !isShownToClass() &&
      html`
        <span class="is-waiting">${fill(_("Followers see {name}"), { name: classState.cluster_name })}</span>
        ${store.cluster.value && button(_("Show this cluster to followers"), openClass, "primary")} ${button(
          _("Go to the cycle"),
          () => openCluster(classState.cluster).catch(() => {}),
        )}
      `
    }
    <span class="grow" />
    ${
      classState.pointer &&
      html`<span>
        ${icon("chosen", "is-chosen")} ${fill(_("{name} has the pointer"), {
          name: classState.pointer.name,
        })}
      </span> ${button(_("Take the pointer back"), () => handPointer(null), "primary")}`
    }
    <button type="button" class="btn small" aria-pressed=${classState.locked}
      title=${_("While the class is locked, followers cannot look around or fork")} onClick=${toggleLock}
    >${classState.locked ? _("Unlock") : _("Lock")}</button>
    <${PanelButton} />
    ${button(_("End the class"), confirmEndClass)}
  `;
}

function Follower({ classState }) {
  return html`
    <b>${_("Class")}</b>
    <span role="status" data-class="standing">
      ${isLookingAround.value ? icon("candidate", "is-waiting") : icon("chosen", "is-chosen")} ${followingText()}
    </span>
    ${isLookingAround.value && button(_("Back to the teacher"), backToTeacher, "primary")}
    ${classState.locked && html`<span class="quiet">${_("The teacher controls the view")}</span>`}
    <span class="grow" />
    ${classState.question && html`<${PanelButton} />`}
    ${clusterRole.value === "follower" && button(_("Fork here"), forkMoment, "", refusal("class-fork"))}
    ${button(_("Leave"), leaveClass)}
  `;
}

export function ClassBar() {
  const classState = inClass.value;
  return html`<section class=${`banner class-bar ${classState.locked ? "locked" : ""}`} aria-label=${_("Class")}>
    ${
      classState.role === "teacher"
        ? html`<${Teacher} classState=${classState} />`
        : html`<${Follower}
      classState=${classState} />`
    }
  </section>`;
}
