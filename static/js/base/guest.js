/**
 * The page of a shared moment, which a guest can see without an account. The guest can change nothing, and requests
 * carry the key of the share.
 */
import { computed, signal } from "../../vendor/preact.js";

const about = document.body.dataset;

export const isGuest = about.share !== undefined;

/** True if the page is embedded in another site's page. */
export const isEmbed = about.embed !== undefined;

/** False for an embed until the user clicks it. */
export const touched = signal(!isEmbed);
export const isStill = computed(() => !touched.value);

let key = "";

export const setKey = (given) => {
  key = given;
};

/** Return the fetch options of a guest: no cookies, so that no request acts for an account. */
export const asGuest = () => (isGuest ? { credentials: "omit", headers: key ? { "X-Share-Key": key } : {} } : {});
