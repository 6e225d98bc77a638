/** A plain scalar of YAML as Go's decoder reads it (YAML 1.1 where they differ; timestamps and base-60 numbers are texts). */
export type YamlScalar = string | number | bigint | boolean | null

const words = new Map<string, YamlScalar>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
])

const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/
/** The longest 64-bit integer in any base: 64 binary digits and the prefix. */
const longest = 66
const maxInt64 = 2n ** 63n - 1n
const maxUint64 = 2n ** 64n - 1n

export function plainScalar(text: string): YamlScalar {
  const word = words.get(text)
  if (word !== undefined) return word
  const first = text.charCodeAt(0)
  if (first === 0x2e) return float.test(text) ? Number(text) : text
  if (!((first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d)) return text
  const digits = text.replaceAll('_', '')
  const whole = integer(digits)
  if (whole !== undefined) return whole
  if (!float.test(digits)) return text
  const value = Number(digits) + 0
  // A number beyond a double stays a text, as in Go.
  return Number.isFinite(value) ? value : text
}

function integer(text: string): number | bigint | undefined {
  const match = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]+|0|[1-9][0-9]*)$/.exec(text)
  if (match === null) return undefined
  const digits = (match[2] ?? '').replace(/^0([xXbBoO]?)0+(?=[0-9a-fA-F])/, '0$1')
  if (digits.length > longest) return undefined
  const size = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase())
  const value = match[1] === '-' ? -size : size
  if (value > maxUint64 || value < -maxInt64 - 1n) return undefined
  return value > maxInt64 || Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/** A map key as text, for JSON. Undefined for a value that cannot be a key. */
export function keyText(key: YamlScalar): string | undefined {
  return key === null ? undefined : String(key)
}
