/** A button that explains a plugin, point, code, step, hint or queue, with a link to the Kubernetes documentation. */
import { html, useId, useLayoutEffect, useRef, useState } from "../../vendor/preact.js";
import { isComposing } from "../base/input_method.js";
import { glossary } from "../base/glossary.js";
import { translateSentence } from "../base/sentence.js";
import { _, fill, loadMessages } from "../base/i18n.js";
import { useKeydown } from "./use_keydown.js";

const WIDTH = 280;
const AWAY = 8;

/** Return the position {left, top} at which the whole panel is in the window. */
function placePanel(button, panel) {
  const box = button.getBoundingClientRect();
  const left = Math.max(AWAY, Math.min(box.left, innerWidth - WIDTH - AWAY));
  const below = box.bottom + 4;
  const top =
    below + panel.offsetHeight > innerHeight - AWAY ? Math.max(AWAY, box.top - panel.offsetHeight - 4) : below;
  return { left: `${left}px`, top: `${top}px` };
}

/** `kind`: point, step, plugin, code, lane or hint. It is empty for names that the glossary lacks (own plugins). */
export function GlossaryButton({ kind, name }) {
  const [open, setOpen] = useState(false);
  const root = useRef(null);
  const panel = useRef(null);
  const id = useId();
  const terms = glossary().value;
  useKeydown(
    (event) => {
      if (event.key !== "Escape" || isComposing(event)) return;
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
      root.current.querySelector("button").focus();
    },
    [],
    open,
  );
  useLayoutEffect(() => {
    if (!open) return undefined;
    Object.assign(panel.current.style, placePanel(root.current, panel.current));
    const outside = (event) => root.current?.contains(event.target) || setOpen(false);
    const close = () => setOpen(false);
    document.addEventListener("pointerdown", outside);
    document.addEventListener("scroll", close, true);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("scroll", close, true);
    };
  }, [open]);
  const word = terms?.get(`${kind} ${name}`);
  if (!word) return null;
  const toggle = async (event) => {
    event.stopPropagation();
    await loadMessages();
    setOpen(!open);
  };
  return html`<span class="what" ref=${root}>
    <button type="button" class="what-button" aria-expanded=${open} aria-controls=${open ? id : undefined}
      aria-label=${fill(_("What is {name}?"), { name })} title=${fill(_("What is {name}?"), { name })}
      onClick=${toggle}
    >?</button>
    ${
      open &&
      html`<span class="what-panel" id=${id} role="note" ref=${panel}>
        <b class="mono">${name}</b>
        <span>${translateSentence(word.text)}</span>
        <a href=${word.url} target="_blank" rel="noreferrer">${_("Kubernetes documentation")}</a>
      </span>`
    }
  </span>`;
}
