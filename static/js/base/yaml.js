/** A YAML writer for reading. It quotes strings only where YAML would parse them as another type. */

const PLAIN = /^[A-Za-z0-9_./][A-Za-z0-9_ ./@%+=,()-]*$/;
const TAKEN = /^(?:true|false|null|yes|no|on|off|y|n|~|[-+.]?\d.*)$/i;

function scalar(value) {
  if (typeof value !== "string") return JSON.stringify(value);
  return PLAIN.test(value) && !TAKEN.test(value) && value.trim() === value ? value : JSON.stringify(value);
}

function lines(value, indent) {
  const pad = "  ".repeat(indent);
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      if (item === null || typeof item !== "object" || isEmpty(item)) return [`${pad}- ${inline(item)}`];
      const [first, ...rest] = lines(item, indent + 1);
      return [`${pad}- ${first.trimStart()}`, ...rest];
    });
  }
  return Object.entries(value).flatMap(([key, item]) => {
    if (item === null || typeof item !== "object" || isEmpty(item)) return [`${pad}${scalar(key)}: ${inline(item)}`];
    return [`${pad}${scalar(key)}:`, ...lines(item, indent + 1)];
  });
}

const isEmpty = (value) => Object.keys(value).length === 0;
const inline = (value) =>
  value !== null && typeof value === "object" ? (Array.isArray(value) ? "[]" : "{}") : scalar(value);

/** Return YAML text for a value: `{a: [1, {b: "x"}]}`; it ends with a newline. */
export function toYaml(value) {
  if (value === null || typeof value !== "object" || isEmpty(value)) return `${inline(value)}\n`;
  return `${lines(value, 0).join("\n")}\n`;
}
