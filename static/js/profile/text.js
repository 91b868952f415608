/**
 * Edits of a configuration's YAML by form. Everything else keeps its text, comments and order. Each edit maps a text to
 * a new text. The document tree is the `yaml` package's, which is loaded with the editor.
 */
let yaml = null;

/** Load the `yaml` package; all other functions here need it. */
export async function loadYaml() {
  yaml ??= await import("../../vendor/codemirror.js");
}

// kube-scheduler reads YAML 1.1, where `on` is true.
const read = (text) => yaml.parseDocument(text, { version: "1.1", merge: true });

/** Return {data, error}: the plain data of a text; `error` {line, text} if it is no YAML or no mapping. */
export function parse(text) {
  const counter = new yaml.LineCounter();
  const doc = yaml.parseDocument(text, { version: "1.1", merge: true, lineCounter: counter });
  const [first] = doc.errors;
  if (first)
    return { data: null, error: { line: counter.linePos(first.pos[0]).line, text: first.message.split("\n")[0] } };
  try {
    const data = doc.toJS({ maxAliasCount: 100 }) ?? {};
    if (typeof data === "object" && !Array.isArray(data)) return { data, error: null };
    return { data: null, error: { line: 1, text: "" } };
  } catch (error) {
    return { data: null, error: { line: 1, text: error.message } };
  }
}

/** Change the document and keep its style: list indentation, spaces in braces. */
function edit(text, change) {
  const doc = read(text);
  if (doc.contents === null || !yaml.isMap(doc.contents)) doc.contents = doc.createNode({});
  change(doc);
  return doc.toString({
    lineWidth: 0,
    indentSeq: !/^( *)[^\s#-][^\n]*:[^\S\n]*\n(?:[^\S\n]*#[^\n]*\n|[^\S\n]*\n)*\1- /m.test(text),
    flowCollectionPadding: /[{[] \S/.test(text),
  });
}

const nothing = (node) => node === undefined || node === null || (yaml.isScalar(node) && node.value === null);

/** Return the collection at a path, created if missing; `seq`: a list. */
function need(doc, path, seq = false) {
  for (let length = 1; length <= path.length; length += 1) {
    const part = path.slice(0, length);
    if (!nothing(doc.getIn(part, true))) continue;
    const isList = length < path.length ? typeof path[length] === "number" : seq;
    doc.setIn(part, doc.createNode(isList ? [] : {}));
  }
  return doc.getIn(path, true);
}

/** Remove the value at a path and parents that become empty, up to `keep` steps from the top. */
function prune(doc, path, keep) {
  doc.deleteIn(path);
  for (let length = path.length - 1; length > keep; length -= 1) {
    const node = doc.getIn(path.slice(0, length), true);
    if (node && !nothing(node) && node.items?.length) return;
    doc.deleteIn(path.slice(0, length));
  }
}

/** Replace a scalar's value; its node and comment stay. */
function put(doc, path, value) {
  const before = doc.getIn(path, true);
  if (yaml.isScalar(before) && typeof value !== "object") before.value = value;
  else doc.setIn(path, typeof value === "object" ? doc.createNode(value) : value);
}

const namesIn = (node) => (node?.items ?? []).map((item) => item.get?.("name"));

/** Return the path of a profile, which is created if missing. */
function profilePath(doc, at) {
  const profiles = need(doc, ["profiles"], true);
  if (!profiles.items.length) profiles.add(doc.createNode({ schedulerName: "default-scheduler" }));
  return ["profiles", at];
}

/** Set a field; null removes it with parents that become empty (at least `keep` steps stay). */
export const setField = (text, path, value, keep = 0) =>
  edit(text, (doc) => {
    if (path[0] === "profiles") profilePath(doc, path[1]);
    if (value === null) return prune(doc, path, Math.max(keep, path[0] === "profiles" ? 2 : 0));
    if (path.length > 1) need(doc, path.slice(0, -1), typeof path.at(-1) === "number");
    return put(doc, path, value);
  });

/**
 * Set an argument of a plugin, null: remove; its entry in pluginConfig is added and removed with it. `path` is within
 * args.
 */
export const setArgument = (text, at, plugin, path, value) =>
  edit(text, (doc) => {
    const profile = profilePath(doc, at);
    const place = namesIn(doc.getIn([...profile, "pluginConfig"], true)).indexOf(plugin);
    if (value === null) {
      if (place < 0) return;
      const entry = [...profile, "pluginConfig", place];
      prune(doc, [...entry, "args", ...path], entry.length);
      const left = doc.getIn([...entry, "args"], true);
      if (nothing(left)) prune(doc, entry, profile.length);
      return;
    }
    const entries = need(doc, [...profile, "pluginConfig"], true);
    if (place < 0) entries.add(doc.createNode({ name: plugin, args: {} }));
    const args = [...profile, "pluginConfig", place < 0 ? entries.items.length - 1 : place, "args"];
    need(doc, [...args, ...path.slice(0, -1)]);
    put(doc, [...args, ...path], value);
  });

function remove(doc, path, plugin, keep) {
  const place = namesIn(doc.getIn(path, true)).indexOf(plugin);
  if (place >= 0) prune(doc, [...path, place], keep);
  return place >= 0;
}

/** Set a plugin's weight: where it is explicitly enabled, else for all points, so that its position stays. */
export const setWeight = (text, at, plugin, weight) =>
  edit(text, (doc) => {
    const plugins = [...profilePath(doc, at), "plugins"];
    const explicit = [...plugins, "score", "enabled"];
    const path = namesIn(doc.getIn(explicit, true)).includes(plugin) ? explicit : [...plugins, "multiPoint", "enabled"];
    const list = need(doc, path, true);
    const place = namesIn(list).indexOf(plugin);
    if (place < 0) list.add(doc.createNode({ name: plugin, weight }));
    else put(doc, [...path, place, "weight"], weight);
  });

/** Reset a plugin to its default weight. */
export const resetWeight = (text, at, plugin) =>
  edit(text, (doc) => {
    const profile = profilePath(doc, at);
    for (const point of ["score", "multiPoint"]) {
      const path = [...profile, "plugins", point, "enabled"];
      const place = namesIn(doc.getIn(path, true)).indexOf(plugin);
      if (place >= 0) prune(doc, [...path, place], profile.length);
    }
  });

/**
 * Disable a plugin at a point, or at all ("multiPoint"). `made`, here and below: the effective profile before the edit,
 * as the server evaluates it.
 */
export const disable = (text, at, point, plugin, made) =>
  edit(text, (doc) => {
    const profile = profilePath(doc, at);
    const everywhere = point === "multiPoint";
    const sets = everywhere ? Object.keys(made.points) : [point];
    for (const each of sets) remove(doc, [...profile, "plugins", each, "enabled"], plugin, profile.length);
    const runs = (entry) => entry.plugin === plugin && entry.multi;
    if (!everywhere && !made.points[point].enabled.some(runs)) return;
    const disabled = need(doc, [...profile, "plugins", point, "disabled"], true);
    if (!namesIn(disabled).includes(plugin)) disabled.add(doc.createNode({ name: plugin }));
  });

/** Enable a plugin at a point; `weight` is its default. */
export const enable = (text, at, point, plugin, made, weight = null) =>
  edit(text, (doc) => {
    const profile = profilePath(doc, at);
    remove(doc, [...profile, "plugins", point, "disabled"], plugin, profile.length);
    const { enabled, disabled } = made.points[point];
    if (enabled.some((entry) => entry.plugin === plugin)) return;
    if (disabled.some((entry) => entry.plugin === plugin && entry.returns)) return;
    const scores = weight && (point === "score" || (point === "multiPoint" && weight !== 1));
    need(doc, [...profile, "plugins", point, "enabled"], true).add(
      doc.createNode(scores ? { name: plugin, weight } : { name: plugin }),
    );
  });

/** Move a plugin within a point. Only as many entries become explicit as the order needs. */
export const move = (text, at, point, from, to, made) =>
  edit(text, (doc) => {
    const profile = profilePath(doc, at);
    const order = [...made.points[point].enabled];
    const moved = order.splice(from, 1)[0];
    order.splice(to, 0, moved);
    const path = [...profile, "plugins", point];
    const all = namesIn(doc.getIn([...path, "disabled"], true)).includes("*");
    const explicit = order.findLastIndex((entry) => entry.origin === "explicit" && entry.multi);
    const head = Math.max(to < from ? to : to - 1, explicit) + 1;
    const byOverriding = !all && order.slice(0, head).every((entry) => entry.multi);
    const listed = byOverriding
      ? [...order.slice(0, head), ...order.slice(head).filter((entry) => entry.index !== null)]
      : order;
    const list = need(doc, [...path, "enabled"], true);
    const known = new Map(list.items.map((item) => [item.get("name"), item]));
    const written = ({ plugin, weight }) =>
      doc.createNode(point === "score" ? { name: plugin, weight } : { name: plugin });
    list.items = listed.map((entry) => known.get(entry.plugin) ?? written(entry));
    if (!byOverriding && !all) {
      const disabled = need(doc, [...path, "disabled"], true);
      disabled.items = [doc.createNode({ name: "*" })];
    }
  });

/** Reset a point to its defaults by removing its entry. */
export const resetPoint = (text, at, point) => setField(text, ["profiles", at, "plugins", point], null, 2);

/** Add a profile, the default one or a copy. It has its own name; an unnamed one gets the default's. */
export const addProfile = (text, name, copyOf = null) =>
  edit(text, (doc) => {
    profilePath(doc, 0);
    const list = doc.getIn(["profiles"], true);
    if (nothing(doc.getIn(["profiles", 0, "schedulerName"], true)))
      doc.setIn(["profiles", 0, "schedulerName"], "default-scheduler");
    const made = copyOf === null ? doc.createNode({ schedulerName: name }) : list.items[copyOf].clone();
    list.add(made);
    doc.setIn(["profiles", list.items.length - 1, "schedulerName"], name);
  });

export const removeProfile = (text, at) => edit(text, (doc) => doc.deleteIn(["profiles", at]));

/** Append to a list at a path. */
export const append = (text, path, value) =>
  edit(text, (doc) => {
    need(doc, path, true).add(doc.createNode(value));
  });

/** Remove an item from a list. */
export const takeOut = (text, path) => edit(text, (doc) => prune(doc, path, 0));
