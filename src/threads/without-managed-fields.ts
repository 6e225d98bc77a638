const METADATA = '"metadata":{'
const MANAGED_FIELDS = '"managedFields":['
const [QUOTE, COMMA, BACKSLASH, BRACKET, BRACKET_END, BRACE, BRACE_END] = [0x22, 0x2c, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/**
 * The JSON of an object without its managed fields, which are a third of a pod's. Nothing in controllers, scheduler and nodes reads them
 * (kube-controller-manager's informers drop them too), and an update without them leaves them as they are.
 */
export function withoutManagedFields(text: string): string {
  const at = text.indexOf(MANAGED_FIELDS)
  const metadata = text.indexOf(METADATA)
  if (at < 0 || metadata < 0 || at < metadata) return text
  // Only those of the object itself, not of something like a template in it.
  if (closing(text, metadata + METADATA.length, at) !== at) return text
  const end = closing(text, at + MANAGED_FIELDS.length, text.length) + 1
  if (text.charCodeAt(at - 1) === COMMA) return text.slice(0, at - 1) + text.slice(end)
  return text.slice(0, at) + text.slice(text.charCodeAt(end) === COMMA ? end + 1 : end)
}

/**
 * The offset of the bracket that closes the value in which `from` lies, but at most `to`. A `to` between two members is passed as it is.
 */
function closing(text: string, from: number, to: number): number {
  let depth = 1
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i)
    if (c === QUOTE) {
      for (i++; text.charCodeAt(i) !== QUOTE; i++) if (text.charCodeAt(i) === BACKSLASH) i++
    } else if (c === BRACE || c === BRACKET) depth++
    else if ((c === BRACE_END || c === BRACKET_END) && --depth === 0) return i
  }
  return depth === 1 ? to : -1
}
