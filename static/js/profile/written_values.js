/** The values written in a draft, found by path. effective_plugins.js has the effective ones. */

const listObjects = (value) => (Array.isArray(value) ? value.filter((item) => item && typeof item === "object") : []);

/** Return the profiles of a configuration's data; without any, the default one. */
export const profilesOf = (data) =>
  listObjects(data?.profiles).length ? data.profiles : [{ schedulerName: "default-scheduler" }];

/** Return the args written for a plugin: {index, args} with `index` in pluginConfig, or null. */
export function writtenArgs(profile, plugin) {
  const entries = Array.isArray(profile?.pluginConfig) ? profile.pluginConfig : [];
  const index = entries.findIndex((entry) => entry?.name === plugin);
  return index < 0 ? null : { index, args: entries[index].args ?? {} };
}

/** Return a weight as written, even if it is no number; undefined for none. `where`: {point, index}. */
export const writtenWeight = (profile, where) =>
  where && profile?.plugins?.[where.point]?.enabled?.[where.index]?.weight;

/** Format a path like problems do: ["profiles", 0, "plugins"] → "profiles[0].plugins". */
export const pathText = (path) =>
  path.reduce((text, step) => (typeof step === "number" ? `${text}[${step}]` : text ? `${text}.${step}` : step), "");

/** Return the problems at a field, or also below it with `whole`. */
export function problemsAt(problems, path, whole = false) {
  const text = pathText(path);
  return problems.filter(
    (problem) =>
      problem.path === text || (whole && (problem.path.startsWith(`${text}.`) || problem.path.startsWith(`${text}[`))),
  );
}
