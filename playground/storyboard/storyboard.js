"use strict";
// Steps through a cycle. Everything is in the page already; names are only ever put in as text.
const story = JSON.parse(document.getElementById("data").textContent);
const { frames, nodes, scores, words } = story;
const at = (id) => document.getElementById(id);
const last = frames.length - 1;
const searching = frames.findIndex((frame) => frame.point === "Filter");
const scoredFrom = frames.findLastIndex((frame) => frame.point === "Filter");
let now = 0;

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// The extension points, each with its frames.
const buttons = [];
for (const [index, frame] of frames.entries()) {
  let group = at("points").lastElementChild;
  if (!group || group.dataset.point !== frame.point) {
    group = at("points").appendChild(make("div", "point"));
    group.dataset.point = frame.point;
    group.append(make("h2", "", frame.point));
  }
  const button = make("button", frame.bad ? "bad" : "", frame.actor);
  button.type = "button";
  button.addEventListener("click", () => show(index));
  buttons.push(button);
  group.append(button);
}

const cards = nodes.map(([name]) => {
  const card = at("nodes").appendChild(make("li"));
  card.append(make("i", "mark"), make("b", "", name), make("span"));
  return card;
});
if (nodes.length > 60) at("nodes").className = "many";

const MARKS = { idle: "·", candidate: "○", rejected: "✕", pass: "✓", chosen: "◆", nominated: "◔" };

function stateOf([name, out]) {
  if (searching < 0 || now < searching) return "idle";
  if (out !== null && now >= out) return name === story.nominated && now === last ? "nominated" : "rejected";
  if (story.picked !== null && now >= story.picked && name === story.chosen) return "chosen";
  return now >= scoredFrom ? "pass" : "candidate";
}

function drawNodes() {
  for (const [index, node] of nodes.entries()) {
    const state = stateOf(node);
    const [mark, , why] = cards[index].children;
    const text = state === "rejected" ? node[2] : words[state];
    cards[index].dataset.state = state;
    cards[index].title = `${node[0]}: ${text}`;
    mark.textContent = MARKS[state];
    why.textContent = text;
  }
}

function drawScores() {
  const known = scores.plugins.map((plugin) =>
    now >= plugin.normalized ? "normalized" : now >= plugin.raw ? "raw" : null,
  );
  const box = at("scores");
  box.replaceChildren();
  if (!scores.rows.length || !known.some(Boolean)) return;
  const table = box.appendChild(make("table"));
  const head = table.createTHead().insertRow();
  head.append(make("th", "", words.node));
  for (const plugin of scores.plugins) {
    const cell = make("th", "num", plugin.name);
    cell.append(make("small", "", ` ×${plugin.weight}`));
    head.append(cell);
  }
  head.append(make("th", "num", words.total));
  const body = table.createTBody();
  const isPicked = story.picked !== null && now >= story.picked;
  for (const row of scores.rows) {
    const line = body.insertRow();
    if (isPicked && row.node === story.chosen) line.className = "chosen";
    line.append(make("th", "", row.node));
    for (const [index, plugin] of scores.plugins.entries()) {
      const value = known[index] && row[known[index]][index];
      line.append(
        make("td", `num ${known[index] ?? ""}`, known[index] === "normalized" ? value * plugin.weight : (value ?? "")),
      );
    }
    line.append(make("td", "num", isPicked ? row.total : ""));
  }
}

function show(index) {
  now = Math.max(0, Math.min(last, index));
  const frame = frames[now];
  at("where").textContent = frame.point;
  at("actor").textContent = frame.actor;
  at("text").textContent = frame.text;
  at("count").textContent = words.step.replace("{n}", now + 1).replace("{all}", frames.length);
  at("place").value = now;
  at("place").setAttribute("aria-valuetext", `${frame.point}, ${frame.actor}`);
  at("back").disabled = now === 0;
  at("forward").disabled = now === last;
  for (const [each, button] of buttons.entries()) {
    button.classList.toggle("past", each < now);
    if (each === now) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  buttons[now].scrollIntoView({ block: "nearest", inline: "nearest" });
  drawNodes();
  drawScores();
}

const KEYS = {
  ArrowLeft: () => now - 1,
  ArrowRight: () => now + 1,
  ",": () => now - 1,
  ".": () => now + 1,
  Home: () => 0,
  End: () => last,
};
document.addEventListener("keydown", (event) => {
  const key = KEYS[event.key];
  // The slider answers the arrows itself.
  if (!key || event.ctrlKey || event.metaKey || event.altKey || event.target === at("place")) return;
  event.preventDefault();
  show(key());
});
at("back").addEventListener("click", () => show(now - 1));
at("forward").addEventListener("click", () => show(now + 1));
at("place").max = last;
at("place").setAttribute("aria-label", words.step.replace(/\s*\{.*/, ""));
at("place").addEventListener("input", () => show(Number(at("place").value)));
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = (isDark) => (document.documentElement.dataset.theme = isDark ? "dark" : "light");
at("theme").addEventListener("click", () => paint(document.documentElement.dataset.theme !== "dark"));
dark.addEventListener("change", () => paint(dark.matches));
paint(dark.matches);
if (frames.length) show(0);
