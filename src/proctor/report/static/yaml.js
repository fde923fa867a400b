// A case as YAML that a suite file takes as it is.

const PLAIN = /^[A-Za-z\u3040-\u30ff\u4e00-\u9fff][^\u0000-\u001f:#'"`{}[\],&*!|>%@\\]*$/;
const RESERVED = /^(true|false|yes|no|on|off|null|y|n)$/i;

function yamlScalar(value) {
  if (typeof value !== "string") return JSON.stringify(value);
  // JSON's quoting is YAML's double quoting; only C1 controls and the like need more than JSON gives them.
  const quoted = JSON.stringify(plainly(value)).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return PLAIN.test(value) && !RESERVED.test(value) && value.trim() === value ? value : quoted;
}

function yamlLines(value, indent) {
  const pad = "  ".repeat(indent);
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      if (item === null || typeof item !== "object" || !Object.keys(item).length) return [`${pad}- ${yamlInline(item)}`];
      const inner = yamlLines(item, indent + 1);
      return [`${pad}- ${inner[0].trimStart()}`, ...inner.slice(1)];
    });
  }
  return Object.entries(value).flatMap(([key, item]) => {
    const name = `${pad}${yamlScalar(key)}:`;
    if (typeof item === "string" && blockable(item)) {
      return [`${name} |-`, ...item.split("\n").map((line) => (line ? `${pad}  ${line}` : ""))];
    }
    if (item === null || typeof item !== "object" || !Object.keys(item).length) return [`${name} ${yamlInline(item)}`];
    return [name, ...yamlLines(item, indent + 1)];
  });
}

function yamlInline(item) {
  if (Array.isArray(item)) return "[]";
  return item !== null && typeof item === "object" ? "{}" : yamlScalar(item);
}

/** Whether a text can stand as a block without losing anything. */
function blockable(text) {
  return text.includes("\n") && !/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff]/.test(text) &&
    !/^\s|\n$/.test(text);
}

function caseAsYaml(item) {
  const { recorded, ...rest } = item;
  return `${yamlLines([rest], 0).join("\n")}\n`;
}
