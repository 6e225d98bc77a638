/** True if two JSON values are equal: the order of keys does not matter, and an undefined member equals an absent one. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return sameNumber(a, b)
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  let present = 0
  for (const key in a) {
    const value = (a as Record<string, unknown>)[key]
    if (value === undefined) continue
    present++
    if (!Object.hasOwn(b, key) || !equalJson(value, (b as Record<string, unknown>)[key])) return false
  }
  for (const key in b) if ((b as Record<string, unknown>)[key] !== undefined) present--
  return present === 0
}

/**
 * Go's semantic equality on decoded objects: null, absent and the empty list are equal. An empty object differs from them: a pointer to an
 * empty struct (`emptyDir: {}`) is not nil, and decoding leaves empty maps out. Values must be in canonical form (quantities, times).
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isEmpty(a)) return isEmpty(b)
  if (isEmpty(b)) return false
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return sameNumber(a, b)
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!semanticEqual(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  for (const key of Object.keys(left)) if (!semanticEqual(left[key], Object.hasOwn(right, key) ? right[key] : undefined)) return false
  for (const key of Object.keys(right)) if (!Object.hasOwn(left, key) && !isEmpty(right[key])) return false
  return true
}

const sameNumber = (a: unknown, b: unknown): boolean =>
  (typeof a === 'bigint' || typeof b === 'bigint') && (typeof a === 'number' || typeof b === 'number') && Number(a) === Number(b)

const isEmpty = (value: unknown): boolean => value === undefined || value === null || (Array.isArray(value) && value.length === 0)
