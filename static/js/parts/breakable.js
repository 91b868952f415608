/** Names of Kubernetes that can wrap between their words. */
import { html } from "../../vendor/preact.js";

/** Return the words of a CamelCase name, which wraps only between them. */
export const wordsOf = (name) => name.split(/(?=[A-Z][a-z])/);

export const Breakable = ({ name }) => wordsOf(name).map((word, index) => (index ? html`<wbr />${word}` : word));
