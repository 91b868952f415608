/** The style sheets of what goes on over time: they come with its first view, which is drawn when they are there. */
const loaded = (address) => {
  const link = Object.assign(document.createElement("link"), {
    rel: "stylesheet",
    href: new URL(address, import.meta.url).href,
  });
  return new Promise((done) => {
    link.onload = link.onerror = done;
    document.head.append(link);
  });
};

await Promise.all([loaded("../../vendor/uplot.css"), loaded("./life.css")]);
