/** What is written in a draft, found by path; what it makes run is the server's to say: table.js. */

const list = (value) => (Array.isArray(value) ? value.filter((item) => item && typeof item === "object") : []);

/** The profiles of a configuration's data; without any there is the default one. */
export const profilesOf = (data) =>
  list(data?.profiles).length ? data.profiles : [{ schedulerName: "default-scheduler" }];

/** The args written for a plugin: {index, args} with `index` in pluginConfig, or null. */
export function argsOf(profile, plugin) {
  const entries = Array.isArray(profile?.pluginConfig) ? profile.pluginConfig : [];
  const index = entries.findIndex((entry) => entry?.name === plugin);
  return index < 0 ? null : { index, args: entries[index].args ?? {} };
}

/** A weight as it is written, be it no number; undefined where none is. `where`: {point, index}. */
export const weightAt = (profile, where) => where && profile?.plugins?.[where.point]?.enabled?.[where.index]?.weight;

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
