/** The style sheets of what goes on over time: they come with its first view, which is drawn when they are there. */
import { sheet } from "../parts/sheet.js";

await Promise.all(["../../vendor/uplot.css", "./life.css"].map((address) => sheet(new URL(address, import.meta.url))));
