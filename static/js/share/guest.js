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
