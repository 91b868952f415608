/** The question that opens when the user makes a change while an earlier cycle is on the screen. */
import { html, useLayoutEffect, useRef } from "../../vendor/preact.js";
import { pastQuestion } from "./branches.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { store } from "../base/store.js";

export function BranchQuestion() {
  const question = pastQuestion.value;
  return question && html`<${Question} answer=${question.answer} />`;
}

function Question({ answer }) {
  const root = useRef(null);
  const cycle = store.shown.value?.record.cycle.number ?? 0;
  useLayoutEffect(() => {
    const before = document.activeElement;
    root.current.showModal();
    root.current.querySelector(".primary").focus();
    return () => before?.focus?.();
  }, []);
  return html`<dialog class="past" ref=${root} aria-labelledby="past-title" aria-describedby="past-text"
    onCancel=${(event) => (event.preventDefault(), answer(null))}
  >
    <div class="dialog-head"><h2 id="past-title">${_("Editing the past creates a branch")}</h2></div>
    <div class="dialog-body" id="past-text">
      <p>
        ${fill(
          _(
            "You are at cycle {n}, and later cycles exist. They do not change, because your change starts a " +
              "new branch after this cycle.",
          ),
          { n: formatNumber(cycle) },
        )}
      </p>
    </div>
    <div class="dialog-foot">
      <button type="button" class="btn" onClick=${() => answer(null)}>${_("Cancel")}</button>
      <span class="grow" />
      <button type="button" class="btn" onClick=${() => answer("now")}>${_("Change the newest state")}</button>
      <button type="button" class="btn primary" onClick=${() => answer("fork")}>${_("Fork here")}</button>
    </div>
  </dialog>`;
}
