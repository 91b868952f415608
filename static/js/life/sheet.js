/** The style sheets of the views over time, loaded with the first of them. */
import { sheet } from "../parts/sheet.js";

await Promise.all(["../../vendor/uplot.css", "./life.css"].map((address) => sheet(new URL(address, import.meta.url))));
