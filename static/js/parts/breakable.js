/** Names of Kubernetes that may break between their words. */
import { html } from "../../vendor/preact.js";

/** Return the words of a CamelCase name: it may break between them, never inside one. */
export const wordsOf = (name) => name.split(/(?=[A-Z][a-z])/);

export const Breakable = ({ name }) => wordsOf(name).map((word, index) => (index ? html`<wbr />${word}` : word));
