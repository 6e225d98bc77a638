import type { Library } from '../environment.ts'
import { member, overload } from '../standard/declare.ts'
import { BOOL, listOf, mapOf, opaque, STRING } from '../types.ts'
import { CelError, CelMap, isOpaque, type Opaque, type Value } from '../values.ts'

const URL_TYPE = opaque('kubernetes.URL')

interface Parts {
  readonly scheme: string
  readonly userinfo: string | undefined
  /** With the port. */
  readonly host: string
  readonly path: string
  readonly query: string
}

/** A URL as Go's `url.ParseRequestURI` reads it: absolute, or a path. */
class UrlValue implements Opaque {
  readonly celType = 'kubernetes.URL'
  readonly parts: Parts
  readonly #text: string

  constructor(text: string, parts: Parts) {
    this.#text = text
    this.parts = parts
  }

  equals(other: Value): boolean {
    return (
      other !== null &&
      typeof other === 'object' &&
      isOpaque(other) &&
      other.celType === this.celType &&
      other.toString() === this.toString()
    )
  }

  toString(): string {
    return this.#text
  }
}

const fault = (text: string, why: string) =>
  new CelError(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${why}`)

function parseUrl(text: string): UrlValue {
  if (text === '') throw fault(text, 'empty url')
  if ([...text].some((c) => c < ' ' || c === '\u007f')) throw fault(text, 'net/url: invalid control character in URL')
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)
  if (scheme === null && !text.startsWith('/')) throw fault(text, 'invalid URI for request')
  const rest = scheme === null ? text : text.slice(scheme[0].length)
  if (!rest.startsWith('/')) throw fault(text, 'invalid URI for request')
  const mark = rest.indexOf('?')
  const before = mark < 0 ? rest : rest.slice(0, mark)
  const query = mark < 0 ? '' : rest.slice(mark + 1)
  let authority = ''
  let path = before
  if (before.startsWith('//') && !before.startsWith('///')) {
    const end = before.indexOf('/', 2)
    authority = before.slice(2, end < 0 ? undefined : end)
    path = end < 0 ? '' : before.slice(end)
  }
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  const port = /:([^\]]*)$/.exec(host.startsWith('[') ? host.slice(host.indexOf(']') + 1) : host)
  if (port !== null && !/^\d*$/.test(port[1] ?? '')) throw fault(text, `invalid port ":${port[1]}" after host`)
  if (/[ <>"{}|\\^`]/.test(host)) throw fault(text, `invalid character ${JSON.stringify(/[ <>"{}|\\^`]/.exec(host)?.[0])} in host name`)
  const badEscape = /%(?![0-9a-fA-F]{2})(.{0,2})/.exec(path)
  if (badEscape !== null) throw fault(text, `invalid URL escape "${badEscape[0]}"`)
  return new UrlValue(text, {
    scheme: scheme?.[1]?.toLowerCase() ?? '',
    userinfo: at < 0 ? undefined : authority.slice(0, at),
    host,
    path,
    query,
  })
}

function isUrl(text: string): boolean {
  try {
    parseUrl(text)
    return true
  } catch {
    return false
  }
}

function hostName(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'))
  const colon = host.indexOf(':')
  return colon < 0 ? host : host.slice(0, colon)
}

function port(host: string): string {
  const after = host.startsWith('[') ? host.slice(host.indexOf(']') + 1) : host
  const colon = after.indexOf(':')
  return colon < 0 ? '' : after.slice(colon + 1)
}

function queryOf(text: string): CelMap {
  const values = new Map<string, string[]>()
  for (const [k, v] of new URLSearchParams(text)) values.set(k, [...(values.get(k) ?? []), v])
  return CelMap.of(values)
}

const read = (name: string, f: (p: Parts) => string) => [member(`url_${name}`, [URL_TYPE], STRING, (u: UrlValue) => f(u.parts))]

/** `url`, `isURL` and what URLs answer. */
export const URLS: Library = {
  functions: {
    url: [overload('string_to_url', [STRING], URL_TYPE, parseUrl)],
    isURL: [overload('is_url_string', [STRING], BOOL, isUrl)],
    getScheme: read('get_scheme', (p) => p.scheme),
    getHost: read('get_host', (p) => p.host),
    getHostname: read('get_hostname', (p) => hostName(p.host)),
    getPort: read('get_port', (p) => port(p.host)),
    getEscapedPath: read('get_escaped_path', (p) => p.path),
    getQuery: [member('url_get_query', [URL_TYPE], mapOf(STRING, listOf(STRING)), (u: UrlValue) => queryOf(u.parts.query))],
  },
}
