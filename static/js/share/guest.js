/** Is this the page of a shared moment? Then nothing on it can be changed, and its requests carry a key in place of an account. */
const about = document.body.dataset;

export const isGuest = about.share !== undefined;

/** Inside another site's page. */
export const isEmbed = about.embed !== undefined;

let key = "";

export const setKey = (given) => {
  key = given;
};

/** How a guest asks: without cookies, so that nothing can be done in anybody's name. */
export const asGuest = () => (isGuest ? { credentials: "omit", headers: key ? { "X-Share-Key": key } : {} } : {});

/** What a guest may do, by the ids of the table of actions; pictures and languages too. */
const READING = new Set([
  ...["play", "step-forward", "step-back", "point-forward", "point-back", "cycle-forward", "cycle-back", "pod-forward", "pod-back"],
  ...["slow-motion", "start", "end", "faster", "slower", "why", "scores", "spread", "preemption", "time", "pod", "node", "events", "profile"],
  ...["queues", "filter", "zoom", "complete", "map", "unpin", "left", "right", "theme", "palette", "keys", "single-keys", "faithful"],
  ...["gallery", "copy-link"],
]);

export const mayRead = (id) => READING.has(id) || id.startsWith("picture-") || id.startsWith("language-");
