/** Moments of the clock on the wall, as the language of the page writes them. */
const today = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "medium" });
const earlier = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "short", timeStyle: "short" });

/** "14:03:07" of today, "11/22/26, 14:03" of another day. */
export function moment(iso) {
  const at = new Date(iso);
  return (at.toDateString() === new Date().toDateString() ? today : earlier).format(at);
}
