import { HOP_BY_HOP, namedByConnection } from './hop-by-hop.ts'

type HeaderMap = Record<string, string | readonly string[]>

const DROPPED = new Set([
  ...HOP_BY_HOP,
  // Whether a page of another origin may read an answer is not the guest's to say.
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
])

/** What this server says of every answer of its own; a guest's word is added to it. */
const OWN_CACHE_CONTROL = 'no-cache, private'

/** A guest's headers as the client gets them. `raw`: names and values in turn. */
export function answerHeaders(raw: readonly string[], about: { readonly status: number; readonly unpacked: boolean }): HeaderMap {
  const out: Record<string, string | string[]> = {}
  const hop = namedByConnection(raw.filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === 'connection'))
  const cache: string[] = [OWN_CACHE_CONTROL]
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase()
    const value = raw[i + 1] ?? ''
    if (DROPPED.has(name) || hop.has(name) || isSuppressed(name, about)) continue
    if (name === 'cache-control') cache.push(value)
    else {
      const before = out[name]
      out[name] = before === undefined ? value : typeof before === 'string' ? [before, value] : [...before, value]
    }
  }
  out['cache-control'] = cache.length === 1 ? OWN_CACHE_CONTROL : cache
  // A length that is said twice says nothing, unless both say the same.
  if (Array.isArray(out['content-length'])) out['content-length'] = out['content-length'][0] ?? '0'
  return out
}

function isSuppressed(name: string, { status, unpacked }: { readonly status: number; readonly unpacked: boolean }): boolean {
  if (unpacked && (name === 'content-encoding' || name === 'content-length')) return true
  if (status === 304) return name === 'content-type' || name === 'content-length'
  return status === 204 && name === 'content-length'
}
