/**
 * The page of a shared moment: a guest looks at it without an account. The guest can change nothing, and requests carry
 * the key of the share.
 */
import { computed, signal } from "../../vendor/preact.js";

const about = document.body.dataset;

export const isGuest = about.share !== undefined;

/** Is the page embedded in another site's page? */
export const isEmbed = about.embed !== undefined;

/** An embed is a picture until somebody clicks it. */
export const touched = signal(!isEmbed);
export const isStill = computed(() => !touched.value);

let key = "";

export const setKey = (given) => {
  key = given;
};

/** Return the fetch options of a guest: without cookies, so that no request acts for an account. */
export const asGuest = () => (isGuest ? { credentials: "omit", headers: key ? { "X-Share-Key": key } : {} } : {});
