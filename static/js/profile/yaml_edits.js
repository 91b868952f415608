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
const parseText = (text) => yaml.parseDocument(text, { version: "1.1", merge: true });

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
function editText(text, change) {
  const doc = parseText(text);
  if (doc.contents === null || !yaml.isMap(doc.contents)) doc.contents = doc.createNode({});
  change(doc);
  return doc.toString({
    lineWidth: 0,
    indentSeq: !/^( *)[^\s#-][^\n]*:[^\S\n]*\n(?:[^\S\n]*#[^\n]*\n|[^\S\n]*\n)*\1- /m.test(text),
    flowCollectionPadding: /[{[] \S/.test(text),
  });
}

const isNothing = (node) => node === undefined || node === null || (yaml.isScalar(node) && node.value === null);

/** Return the collection at a path, created if missing; `seq`: a list. */
function ensureCollection(doc, path, seq = false) {
  for (let length = 1; length <= path.length; length += 1) {
    const part = path.slice(0, length);
    if (!isNothing(doc.getIn(part, true))) continue;
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
    if (node && !isNothing(node) && node.items?.length) return;
    doc.deleteIn(path.slice(0, length));
  }
}

/** Replace a scalar's value; its node and comment stay. */
function setValue(doc, path, value) {
  const before = doc.getIn(path, true);
  if (yaml.isScalar(before) && typeof value !== "object") before.value = value;
  else doc.setIn(path, typeof value === "object" ? doc.createNode(value) : value);
}

const namesIn = (node) => (node?.items ?? []).map((item) => item.get?.("name"));

/** Return the path of a profile, which is created if missing. */
function profilePath(doc, profileIndex) {
  const profiles = ensureCollection(doc, ["profiles"], true);
  if (!profiles.items.length) profiles.add(doc.createNode({ schedulerName: "default-scheduler" }));
  return ["profiles", profileIndex];
}

/** Set a field; null removes it with parents that become empty (at least `keep` steps stay). */
export const setField = (text, path, value, keep = 0) =>
  editText(text, (doc) => {
    if (path[0] === "profiles") profilePath(doc, path[1]);
    if (value === null) return prune(doc, path, Math.max(keep, path[0] === "profiles" ? 2 : 0));
    if (path.length > 1) ensureCollection(doc, path.slice(0, -1), typeof path.at(-1) === "number");
    return setValue(doc, path, value);
  });

/**
 * Set an argument of a plugin, null: remove; its entry in pluginConfig is added and removed with it. `path` is within
 * args.
 */
export const setArgument = (text, profileIndex, plugin, path, value) =>
  editText(text, (doc) => {
    const profile = profilePath(doc, profileIndex);
    const place = namesIn(doc.getIn([...profile, "pluginConfig"], true)).indexOf(plugin);
    if (value === null) {
      if (place < 0) return;
      const entry = [...profile, "pluginConfig", place];
      prune(doc, [...entry, "args", ...path], entry.length);
      const args = doc.getIn([...entry, "args"], true);
      if (isNothing(args)) prune(doc, entry, profile.length);
      return;
    }
    const entries = ensureCollection(doc, [...profile, "pluginConfig"], true);
    if (place < 0) entries.add(doc.createNode({ name: plugin, args: {} }));
    const args = [...profile, "pluginConfig", place < 0 ? entries.items.length - 1 : place, "args"];
    ensureCollection(doc, [...args, ...path.slice(0, -1)]);
    setValue(doc, [...args, ...path], value);
  });

function removeEntry(doc, path, plugin, keep) {
  const place = namesIn(doc.getIn(path, true)).indexOf(plugin);
  if (place >= 0) prune(doc, [...path, place], keep);
  return place >= 0;
}

/** Set a plugin's weight: where it is explicitly enabled, else for all points, so that its position stays. */
export const setWeight = (text, profileIndex, plugin, weight) =>
  editText(text, (doc) => {
    const plugins = [...profilePath(doc, profileIndex), "plugins"];
    const explicit = [...plugins, "score", "enabled"];
    const path = namesIn(doc.getIn(explicit, true)).includes(plugin) ? explicit : [...plugins, "multiPoint", "enabled"];
    const list = ensureCollection(doc, path, true);
    const place = namesIn(list).indexOf(plugin);
    if (place < 0) list.add(doc.createNode({ name: plugin, weight }));
    else setValue(doc, [...path, place, "weight"], weight);
  });

/** Reset a plugin to its default weight. */
export const resetWeight = (text, profileIndex, plugin) =>
  editText(text, (doc) => {
    const profile = profilePath(doc, profileIndex);
    for (const point of ["score", "multiPoint"]) {
      const path = [...profile, "plugins", point, "enabled"];
      const place = namesIn(doc.getIn(path, true)).indexOf(plugin);
      if (place >= 0) prune(doc, [...path, place], profile.length);
    }
  });

/**
 * Disable a plugin at a point, or at all ("multiPoint"). `effective`, here and below: the effective profile before the
 * edit, as the server evaluates it.
 */
export const disablePlugin = (text, profileIndex, point, plugin, effective) =>
  editText(text, (doc) => {
    const profile = profilePath(doc, profileIndex);
    const everywhere = point === "multiPoint";
    const sets = everywhere ? Object.keys(effective.points) : [point];
    for (const point of sets) removeEntry(doc, [...profile, "plugins", point, "enabled"], plugin, profile.length);
    const isMerged = (entry) => entry.plugin === plugin && entry.multi;
    if (!everywhere && !effective.points[point].enabled.some(isMerged)) return;
    const disabled = ensureCollection(doc, [...profile, "plugins", point, "disabled"], true);
    if (!namesIn(disabled).includes(plugin)) disabled.add(doc.createNode({ name: plugin }));
  });

/** Enable a plugin at a point; `weight` is its default. */
export const enablePlugin = (text, profileIndex, point, plugin, effective, weight = null) =>
  editText(text, (doc) => {
    const profile = profilePath(doc, profileIndex);
    removeEntry(doc, [...profile, "plugins", point, "disabled"], plugin, profile.length);
    const { enabled, disabled } = effective.points[point];
    if (enabled.some((entry) => entry.plugin === plugin)) return;
    if (disabled.some((entry) => entry.plugin === plugin && entry.returns)) return;
    const scores = weight && (point === "score" || (point === "multiPoint" && weight !== 1));
    ensureCollection(doc, [...profile, "plugins", point, "enabled"], true).add(
      doc.createNode(scores ? { name: plugin, weight } : { name: plugin }),
    );
  });

/** Move a plugin within a point. Only as many entries become explicit as the order needs. */
export const movePlugin = (text, profileIndex, point, from, to, effective) =>
  editText(text, (doc) => {
    const profile = profilePath(doc, profileIndex);
    const order = [...effective.points[point].enabled];
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
    const list = ensureCollection(doc, [...path, "enabled"], true);
    const known = new Map(list.items.map((item) => [item.get("name"), item]));
    const written = ({ plugin, weight }) =>
      doc.createNode(point === "score" ? { name: plugin, weight } : { name: plugin });
    list.items = listed.map((entry) => known.get(entry.plugin) ?? written(entry));
    if (!byOverriding && !all) {
      const disabled = ensureCollection(doc, [...path, "disabled"], true);
      disabled.items = [doc.createNode({ name: "*" })];
    }
  });

/** Reset a point to its defaults by removing its entry. */
export const resetPoint = (text, profileIndex, point) =>
  setField(text, ["profiles", profileIndex, "plugins", point], null, 2);

/** Add a profile, the default one or a copy. It has its own name; an unnamed one gets the default's. */
export const addProfile = (text, name, copyOf = null) =>
  editText(text, (doc) => {
    profilePath(doc, 0);
    const list = doc.getIn(["profiles"], true);
    if (isNothing(doc.getIn(["profiles", 0, "schedulerName"], true)))
      doc.setIn(["profiles", 0, "schedulerName"], "default-scheduler");
    const profile = copyOf === null ? doc.createNode({ schedulerName: name }) : list.items[copyOf].clone();
    list.add(profile);
    doc.setIn(["profiles", list.items.length - 1, "schedulerName"], name);
  });

export const removeProfile = (text, profileIndex) => editText(text, (doc) => doc.deleteIn(["profiles", profileIndex]));

/** Append to a list at a path. */
export const appendItem = (text, path, value) =>
  editText(text, (doc) => {
    ensureCollection(doc, path, true).add(doc.createNode(value));
  });

/** Remove an item from a list. */
export const removeItem = (text, path) => editText(text, (doc) => prune(doc, path, 0));
