// What on the page cannot be read: [what is wrong with it, its text, where], as sentences.
() => {
  const wrong = new Set();
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const named = (element) =>
    `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""}.${[...element.classList].join(".")}`;
  const say = (fault, text, element) =>
    wrong.add(`${fault}: "${text.trim().slice(0, 60)}" in ${named(element.parentElement)} > ${named(element)}`);
  // Editors cut and scroll by themselves, drawings are not text, and what is for screen readers is not seen.
  const OUTSIDE = ".sr, .skip, .cm-editor, option, select, title, svg, [inert]";
  // What lies above other things on purpose; a head or a foot that sticks covers what scrolls below it.
  const layer = (element) =>
    element.closest(
      ".menu-panel, dialog, .tip, .what-panel, .notice, .grid-head, .preview, .profile-foot, .grid-row > " +
        "div:first-child, .grid-row > .total-cell",
    );

  const texts = [];
  const walker = document.createTreeWalker(document.querySelector("#app"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !seen(element) || element.closest(OUTSIDE)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const lines = [...range.getClientRects()].filter((box) => box.width && box.height);
    // `cut`: the box beyond which nothing can be read; `view`: what is not scrolled away at the moment.
    const cut = { left: -1e9, right: 1e9, top: -1e9, bottom: 1e9 };
    const view = { ...cut };
    const narrow = (box, by) => {
      box.left = Math.max(box.left, by.left);
      box.right = Math.min(box.right, by.right);
      box.top = Math.max(box.top, by.top);
      box.bottom = Math.min(box.bottom, by.bottom);
    };
    let dots = false;
    let scrolls = false;
    for (let outer = element; outer && outer !== document.body; outer = outer.parentElement) {
      const style = getComputedStyle(outer);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      if (style.textOverflow === "ellipsis") dots = true;
      scrolls ||= /auto|scroll/.test(style.overflowX + style.overflowY);
      if (!scrolls) narrow(cut, outer.getBoundingClientRect());
      narrow(view, outer.getBoundingClientRect());
    }
    const lost = lines.some(
      (line) =>
        line.right > cut.right + 1 ||
        line.left < cut.left - 1 ||
        line.top < cut.top - 3 ||
        line.bottom > cut.bottom + 3,
    );
    if (lost && !dots) say("is cut off", node.data, element);
    if (lost && dots && !element.closest("[title]")?.title)
      say("is shortened, and no title has the whole", node.data, element);
    for (const line of lines) {
      const box = { left: line.left, right: line.right, top: line.top + 2, bottom: line.bottom - 2 };
      narrow(box, view);
      if (box.right - box.left > 1 && box.bottom - box.top > 1) texts.push({ ...box, node, element });
    }
  }

  texts.sort((a, b) => a.top - b.top);
  texts.forEach((a, i) => {
    for (let j = i + 1; j < texts.length && texts[j].top < a.bottom; j += 1) {
      const b = texts[j];
      const over =
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - b.top > 2;
      if (over && a.node !== b.node && layer(a.element) === layer(b.element))
        say(`lies over "${b.node.data.trim()}"`, a.node.data, a.element);
    }
  });

  for (const box of document.querySelectorAll(".side-body, .queues, .narrow-panel, .cards"))
    if (seen(box) && box.scrollWidth > box.clientWidth + 1)
      say("scrolls sideways", `${box.scrollWidth} px in ${box.clientWidth}`, box);
  for (const menu of document.querySelectorAll(".head > .picture-menu")) {
    const level = menu.getBoundingClientRect();
    const others = [...menu.parentElement.children].filter(
      (other) => other !== menu && other.getBoundingClientRect().width,
    );
    if (
      !others.some(
        (other) => other.getBoundingClientRect().top < level.bottom && other.getBoundingClientRect().bottom > level.top,
      )
    )
      say("stands on a line of its own", menu.innerText, menu);
  }
  const tabs = document.querySelector(".side-head .tabs");
  if (tabs && new Set([...tabs.querySelectorAll("button")].map((tab) => tab.offsetTop)).size > 2)
    say("takes more than two rows", tabs.innerText, tabs);
  return [...wrong];
};
