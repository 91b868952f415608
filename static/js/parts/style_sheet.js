/** Return a promise of a style sheet that is loaded with the first view that needs it. */
export const loadStyleSheet = (address) =>
  new Promise((done) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address.href });
    link.onload = link.onerror = done;
    document.head.append(link);
  });
