// Numbers as people read them; a missing one is a dash, never a zero.

const NONE = "–";

function percent(share) {
  if (share === null || share === undefined) return NONE;
  if (share === 0 || share === 1) return `${share * 100} %`;
  return `${Math.min(99.9, Math.max(0.1, share * 100)).toFixed(1)} %`;
}

function rangeText(group) {
  return group.low === null ? "" : `${(group.low * 100).toFixed(0)}–${(group.high * 100).toFixed(0)} %`;
}

function seconds(value) {
  if (value === null || value === undefined) return NONE;
  if (value < 0.9995) return `${(value * 1000).toFixed(0)} ms`;
  if (value < 99.95) return `${value.toFixed(1)} s`;
  const whole = Math.round(value), minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

function money(cost) {
  if (cost === null || cost === undefined) return "price not known";
  if (cost === 0 || cost >= 0.995) return `$${grouped(cost, 2)}`;
  return cost >= 0.0001 ? `$${cost.toFixed(4)}` : "<$0.0001";
}

/** A time as it was written, to the second. */
function clock(text) {
  return text.replace("T", " ").replace(/\.\d+/, "").replace(/(\+00:00|Z)$/, " UTC");
}

function grouped(number, digits = 0) {
  return number.toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function decimals(value, digits = 2) {
  return value === null || value === undefined ? NONE : value.toFixed(digits);
}

function many(count, one, more = `${one}s`) {
  return `${grouped(count)} ${count === 1 ? one : more}`;
}
