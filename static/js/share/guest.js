/**
 * Is this the page of a shared moment? Then nothing on it can be changed, and its requests carry a key in place of an
 * account.
 */
import { computed, signal } from "../../vendor/preact.js";
import { withWords } from "../base/i18n.js";

const about = document.body.dataset;

export const isGuest = about.share !== undefined;

/** Inside another site's page. */
export const isEmbed = about.embed !== undefined;

/** An embed is a picture until somebody clicks it. */
export const touched = signal(!isEmbed);
export const isStill = computed(() => !touched.value);

let key = "";

export const setKey = (given) => {
  key = given;
};

/** How a guest asks: without cookies, so that nothing can be done in anybody's name. */
export const asGuest = () => (isGuest ? { credentials: "omit", headers: key ? { "X-Share-Key": key } : {} } : {});

/** Say to who looks on that this is not for them. */
export const tellRefused = () => withWords(() => import("./refused.js")).then((refused) => refused.tellRefused());
