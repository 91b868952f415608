/** The language of the page. Django's cookie stores it, so the server's texts follow. */
import { csrfToken } from "../base/api.js";
import { storeDrafts } from "../base/drafts.js";
import { _ } from "../base/i18n.js";
import { notify, reportError } from "../base/notices.js";
import { isGuest } from "../base/guest.js";
import { addressOfMoment } from "../cycle/moment_address.js";

/** Reload the page in this language at the same moment. The address and the drafts preserve its state. */
export async function changeLanguage(code) {
  if (!storeDrafts()) {
    notify(_("Apply or discard your draft before you switch language."), {
      tone: "error",
    });
    return;
  }
  try {
    const body = new URLSearchParams({ language: code });
    const answer = await fetch("/i18n/setlang/", {
      method: "POST",
      headers: { "X-CSRFToken": csrfToken(), Accept: "application/json" },
      body,
    });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    // A shared moment keeps its shared address.
    if (!isGuest) history.replaceState(null, "", addressOfMoment());
    location.reload();
  } catch (error) {
    reportError(error);
  }
}
