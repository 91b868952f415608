/** A YAML writer for reading. It quotes strings only where YAML would parse them as another type. */

const PLAIN = /^[A-Za-z0-9_./][A-Za-z0-9_ ./@%+=,()-]*$/;
const AMBIGUOUS = /^(?:true|false|null|yes|no|on|off|y|n|~|[-+.]?\d.*)$/i;

function formatScalar(value) {
  if (typeof value !== "string") return JSON.stringify(value);
  return PLAIN.test(value) && !AMBIGUOUS.test(value) && value.trim() === value ? value : JSON.stringify(value);
}

function formatLines(value, indent) {
  const pad = "  ".repeat(indent);
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      if (item === null || typeof item !== "object" || isEmpty(item)) return [`${pad}- ${formatInline(item)}`];
      const [first, ...rest] = formatLines(item, indent + 1);
      return [`${pad}- ${first.trimStart()}`, ...rest];
    });
  }
  return Object.entries(value).flatMap(([key, item]) => {
    if (item === null || typeof item !== "object" || isEmpty(item))
      return [`${pad}${formatScalar(key)}: ${formatInline(item)}`];
    return [`${pad}${formatScalar(key)}:`, ...formatLines(item, indent + 1)];
  });
}

const isEmpty = (value) => Object.keys(value).length === 0;
const formatInline = (value) =>
  value !== null && typeof value === "object" ? (Array.isArray(value) ? "[]" : "{}") : formatScalar(value);

/** Return YAML text for a value: `{a: [1, {b: "x"}]}`; it ends with a newline. */
export function toYaml(value) {
  if (value === null || typeof value !== "object" || isEmpty(value)) return `${formatInline(value)}\n`;
  return `${formatLines(value, 0).join("\n")}\n`;
}
