import type { HeaderMap } from './forward-headers.ts'
import { HOP_BY_HOP, namedByConnection } from './hop-by-hop.ts'

const DROPPED = new Set([
  ...HOP_BY_HOP,
  // A delegate must not decide whether pages of other origins may read a response.
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'http2-settings',
])

/** Headers of which Node's HTTP/2 sends one value only: the first is kept, which is the one that Go's clients read. */
const SINGLE = new Set([
  'access-control-max-age',
  'access-control-request-method',
  'age',
  'authorization',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-md5',
  'content-range',
  'content-type',
  'date',
  'dnt',
  'etag',
  'expires',
  'from',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'range',
  'referer',
  'retry-after',
  'tk',
  'upgrade-insecure-requests',
  'user-agent',
  'x-content-type-options',
])

/** This server's value for all of its responses; a delegate's value is added to it. */
const OWN_CACHE_CONTROL = 'no-cache, private'

/** A delegate's headers for the client. `raw`: alternating names and values. */
export function answerHeaders(raw: readonly string[], about: { readonly status: number; readonly unpacked: boolean }): HeaderMap {
  // Without a prototype, because a header may be named `__proto__`.
  const out: Record<string, string | string[]> = Object.create(null)
  const hop = namedByConnection(raw.filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === 'connection'))
  const cache: string[] = [OWN_CACHE_CONTROL]
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase()
    const value = raw[i + 1] ?? ''
    if (DROPPED.has(name) || hop.has(name) || isSuppressed(name, about)) continue
    if (name === 'cache-control') cache.push(value)
    else {
      const before = out[name]
      if (before === undefined) out[name] = value
      else if (!SINGLE.has(name)) out[name] = typeof before === 'string' ? [before, value] : [...before, value]
    }
  }
  out['cache-control'] = cache.length === 1 ? OWN_CACHE_CONTROL : cache
  return out
}

function isSuppressed(name: string, { status, unpacked }: { readonly status: number; readonly unpacked: boolean }): boolean {
  if (unpacked && (name === 'content-encoding' || name === 'content-length')) return true
  if (status === 304) return name === 'content-type' || name === 'content-length'
  return status === 204 && name === 'content-length'
}
