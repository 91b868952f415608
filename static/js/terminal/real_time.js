/** Real time in the format of the page's language. */
const today = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "medium" });
const earlier = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "short", timeStyle: "short" });

/** Format a time: "14:03:07" today, "11/22/26, 14:03" on another day. */
export function formatRealTime(iso) {
  const date = new Date(iso);
  return (date.toDateString() === new Date().toDateString() ? today : earlier).format(date);
}
