import { inTurns, type Steps } from '../../base/steps.ts'
import { goJsonFault } from '../../machinery/go/go-json-fault.ts'
import { decodeJsonInTurns } from '../../machinery/json/strict-json.ts'
import type { Json } from '../../machinery/object.ts'

export type FirstValue = { readonly kind: 'value'; readonly value: Json } | { readonly kind: 'fault'; readonly fault: string }

/** Go's `json.Decoder`: the first value of a text, whatever comes after it; or what is wrong with it. Long texts give turns to others. */
export async function firstJson(text: string): Promise<FirstValue> {
  if (text.trim() === '') return { kind: 'fault', fault: 'EOF' }
  const first = text.slice(0, await inTurns(endOfFirst(text)))
  try {
    return { kind: 'value', value: (await decodeJsonInTurns(first)).value }
  } catch {
    const fault = goJsonFault(first, '') ?? 'unexpected EOF'
    return { kind: 'fault', fault: fault === 'unexpected end of JSON input' ? 'unexpected EOF' : fault }
  }
}

const CHARACTERS_PER_TURN = 1024 * 1024

/** Where the first object, list or string ends; the end of the text when it does not, or when something else comes first. */
function* endOfFirst(text: string): Steps<number> {
  let depth = 0
  let inString = false
  const start = text.search(/\S/)
  if (!'{["'.includes(text.charAt(start))) return text.length
  for (let at = start; at < text.length; at++) {
    if (at % CHARACTERS_PER_TURN === 0) yield
    const c = text.charAt(at)
    if (inString) {
      if (c === '\\') at++
      else if (c === '"') inString = false
    } else if (c === '"') inString = true
    else if (c === '{' || c === '[') depth++
    else if (c === '}' || c === ']') depth--
    if (depth === 0 && !inString) return at + 1
  }
  return text.length
}
