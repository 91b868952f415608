/** The mark of how an attempt ended, with its color. */
import { icon } from "./icon.js";

export const outcomeMark = (outcome) => {
  if (outcome === "scheduled") return icon("chosen", "is-chosen");
  if (outcome === "waiting") return icon("waiting", "is-waiting");
  return icon(outcome === "error" ? "error" : "rejected", "is-rejected");
};
