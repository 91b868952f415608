/**
 * What a profile makes run, worked out from its plain data while it is being written: the form must answer at once, and
 * for drafts that are not valid yet, too. It mirrors scheduler_core/config/effective.py; a test holds both together.
 */

const ALL = "*";
const list = (value) => (Array.isArray(value) ? value.filter((item) => item && typeof item === "object") : []);
const named = (value) => list(value).map((item) => item.name);

/** The profiles of a configuration's data; without any there is the default one. */
export const profilesOf = (data) =>
  list(data?.profiles).length ? data.profiles : [{ schedulerName: "default-scheduler" }];

/** What a plugin implements: its extension points; unknown ones none. */
const pointsOf = (form, name) => form.plugins.find((plugin) => plugin.name === name)?.points ?? [];

/**
 * The merged multiPoint set: [{name, weight, origin, index}], `index` in the profile's own multiPoint.enabled or null.
 */
export function multiPoint(profile, form) {
  const set = profile?.plugins?.multiPoint;
  const disabled = named(set?.disabled);
  const own = list(set?.enabled);
  const last = new Map(own.map((item, index) => [item.name, index]));
  const used = new Set();
  const merged = [];
  for (const { name, weight } of disabled.includes(ALL) ? [] : form.multiPoint) {
    if (disabled.includes(name)) continue;
    if (last.has(name)) {
      const index = last.get(name);
      used.add(index);
      merged.push({ ...own[index], origin: "multiPoint", index });
    } else {
      merged.push({ name, weight, origin: "default", index: null });
    }
  }
  own.forEach((item, index) => {
    if (!used.has(index)) merged.push({ ...item, origin: "multiPoint", index });
  });
  return merged;
}

/**
 * One extension point: {enabled, disabled}. An enabled entry is {plugin, weight, origin, index, multi}: `index` in the
 * point's own `enabled` or null, `multi`: whether multiPoint would enable it here. A disabled one is {plugin, by, at}.
 */
export function atPoint(profile, point, form) {
  const set = profile?.plugins?.[point];
  const explicit = list(set?.enabled).map((item, index) => ({ ...item, origin: "explicit", index }));
  const off = named(set?.disabled);
  const merged = multiPoint(profile, form);
  const here = merged.filter((item) => pointsOf(form, item.name).includes(point));
  const isMulti = (name) => here.some((item) => item.name === name);
  const rest = off.includes(ALL)
    ? []
    : here.filter((item) => !off.includes(item.name) && explicit.every(({ name }) => name !== item.name));
  const stands = (item) => !off.includes(ALL) && isMulti(item.name) && !off.includes(item.name);
  const order = off.includes(ALL)
    ? explicit
    : [...explicit.filter(stands), ...rest, ...explicit.filter((item) => !stands(item))];
  const weightOf = (name) => [...explicit, ...merged].find((item) => item.name === name)?.weight || 1;
  const enabled = order.map((item) => ({
    plugin: item.name,
    weight: weightOf(item.name),
    origin: item.origin,
    index: item.origin === "explicit" ? item.index : null,
    multi: stands(item),
  }));
  return { enabled, disabled: disabledAt(profile, point, form, new Set(enabled.map(({ plugin }) => plugin))) };
}

function disabledAt(profile, point, form, runs) {
  const sets = [
    [point, named(profile?.plugins?.[point]?.disabled)],
    ["multiPoint", named(profile?.plugins?.multiPoint?.disabled)],
  ];
  const own = named(profile?.plugins?.multiPoint?.enabled);
  const names = [...new Set([...form.multiPoint.map(({ name }) => name), ...own])];
  return names.flatMap((plugin) => {
    if (runs.has(plugin) || !pointsOf(form, plugin).includes(point)) return [];
    const found = sets.find(([, off]) => off.includes(plugin) || off.includes(ALL));
    return found ? [{ plugin, by: found[1].includes(plugin) ? plugin : ALL, at: found[0] }] : [];
  });
}

/** Plugins that could run at a point but do not: those that are disabled first. */
export function available(profile, point, form) {
  const { enabled, disabled } = atPoint(profile, point, form);
  const runs = new Set(enabled.map(({ plugin }) => plugin));
  const off = disabled.map(({ plugin }) => plugin);
  const others = form.plugins.filter(
    (plugin) => plugin.points.includes(point) && !runs.has(plugin.name) && !off.includes(plugin.name),
  );
  return [...off, ...others.map((plugin) => plugin.name)];
}

/** The args written for a plugin: {index, args} with `index` in pluginConfig, or null. */
export function argsOf(profile, plugin) {
  const entries = Array.isArray(profile?.pluginConfig) ? profile.pluginConfig : [];
  const index = entries.findIndex((entry) => entry?.name === plugin);
  return index < 0 ? null : { index, args: entries[index].args ?? {} };
}

/** A path of names and places as problems say it: ["profiles", 0, "plugins"] → "profiles[0].plugins". */
export const pathText = (path) =>
  path.reduce((text, step) => (typeof step === "number" ? `${text}[${step}]` : text ? `${text}.${step}` : step), "");

/** The problems at a field, or below it when it is `whole`. */
export function problemsAt(problems, path, whole = false) {
  const text = pathText(path);
  return problems.filter(
    (problem) =>
      problem.path === text || (whole && (problem.path.startsWith(`${text}.`) || problem.path.startsWith(`${text}[`))),
  );
}
