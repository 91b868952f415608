/** A CamelCase name that may break between its words. */
import { html } from "../../vendor/preact.js";
import { wordsOf } from "../cycle/words.js";

export const Breakable = ({ name }) => wordsOf(name).map((word, index) => (index ? html`<wbr />${word}` : word));
