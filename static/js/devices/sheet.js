/** The style sheet of devices: it comes with the first view of them, which is drawn when it is there. */
import { sheet } from "../parts/sheet.js";

await sheet(new URL("./devices.css", import.meta.url));
