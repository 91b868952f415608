/**
 * The page of a shared moment, which a guest can see without an account. The guest can change nothing, and requests
 * carry the key of the share.
 */
import { computed, signal } from "../../vendor/preact.js";

const pageData = document.body.dataset;

export const isGuest = pageData.share !== undefined;

export const isEmbed = pageData.embed !== undefined;

/** False for an embed until the user clicks it. */
export const touched = signal(!isEmbed);
export const isCovered = computed(() => !touched.value);

let shareKey = "";

export const setShareKey = (newKey) => {
  shareKey = newKey;
};

/** Return the fetch options of a guest: no cookies, so that no request acts for an account. */
export const guestOptions = () =>
  isGuest ? { credentials: "omit", headers: shareKey ? { "X-Share-Key": shareKey } : {} } : {};
