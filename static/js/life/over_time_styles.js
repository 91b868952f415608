/** The style sheets of the views over time, loaded with the first of them. */
import { loadStyleSheet } from "../parts/style_sheet.js";

await Promise.all(
  ["../../vendor/uplot.css", "./life.css"].map((address) => loadStyleSheet(new URL(address, import.meta.url))),
);
