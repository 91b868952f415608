/** The style sheet of what is loaded when it is opened: it comes with the first view of it, which waits for it. */
export const sheet = (address) =>
  new Promise((done) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address.href });
    link.onload = link.onerror = done;
    document.head.append(link);
  });
