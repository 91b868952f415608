/** The style sheet of devices, loaded with their first view. */
import { loadStyleSheet } from "../parts/style_sheet.js";

await loadStyleSheet(new URL("./devices.css", import.meta.url));
