/** The style sheet of workloads: it comes with the first view of them, which is drawn when it is there. */
const link = Object.assign(document.createElement("link"), {
  rel: "stylesheet",
  href: new URL("./workloads.css", import.meta.url).href,
});

await new Promise((done) => {
  link.onload = link.onerror = done;
  document.head.append(link);
});
