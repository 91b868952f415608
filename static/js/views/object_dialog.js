/** One object of any kind, as it is now. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { get, of, problemText } from "../api.js";
import { _ } from "../i18n.js";
import { store } from "../store.js";
import { toYaml } from "../yaml.js";
import { Dialog } from "./parts/dialog.js";

export function ObjectDialog({ kind, objectKey }) {
  const [text, setText] = useState(null);
  useEffect(() => {
    get(of(store.cluster.peek().id, "objects", kind, objectKey)).then(
      (manifest) => setText(toYaml(manifest)),
      (error) => setText(error.problems.map(problemText).join("\n")),
    );
  }, []);
  return html`<${Dialog} title=${`${kind} ${objectKey}`} wide>
    ${text === null ? html`<p class="quiet">${_("Reading the object")}</p>` : html`<pre class="mono scroll" tabindex="0">${text}</pre>`}
  <//>`;
}
