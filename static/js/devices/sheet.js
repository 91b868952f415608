/** The style sheet of devices, loaded with their first view. */
import { sheet } from "../parts/sheet.js";

await sheet(new URL("./devices.css", import.meta.url));
