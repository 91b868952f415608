/** A collapsible manifest as YAML. */
import { html, useMemo, useState } from "../../vendor/preact.js";
import { _ } from "../base/i18n.js";
import { toYaml } from "../base/yaml.js";

export function Manifest({ manifest }) {
  const [open, setOpen] = useState(false);
  const text = useMemo(() => (open && manifest ? toYaml(manifest) : ""), [open, manifest]);
  if (!manifest) return null;
  return html`<details class="manifest" onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>${_("Manifest")}</summary>
    <pre class="scroll" tabindex="0">${text}</pre>
  </details>`;
}
