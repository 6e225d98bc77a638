import { goQuote } from '../../field-error.ts'
import { type GoUrl, isRequestUri, parseQuery, parseRequestUri, UrlError } from '../../go/go-url.ts'
import type { Library } from '../environment.ts'
import { member, overload } from '../standard/declare.ts'
import { BOOL, listOf, mapOf, STRING, structure } from '../types.ts'
import { CelError, CelMap, isOpaque, type Opaque, type Value } from '../values.ts'

const URL_TYPE = structure('kubernetes.URL')

/** A URL as Go's `url.ParseRequestURI` reads it: absolute, or a path. */
class UrlValue implements Opaque {
  readonly celType = 'kubernetes.URL'
  readonly parts: GoUrl
  readonly #text: string

  constructor(text: string, parts: GoUrl) {
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

function parseUrl(text: string): UrlValue {
  try {
    return new UrlValue(text, parseRequestUri(text))
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    throw new CelError(`URL parse error during conversion from string: parse ${goQuote(text)}: ${error.message}`)
  }
}

const read = (name: string, f: (p: GoUrl) => string) => [member(`url_${name}`, [URL_TYPE], STRING, (u: UrlValue) => f(u.parts))]

/** `url`, `isURL` and the methods of URLs. */
export const URLS: Library = {
  functions: {
    url: [overload('string_to_url', [STRING], URL_TYPE, parseUrl)],
    isURL: [overload('is_url_string', [STRING], BOOL, isRequestUri)],
    getScheme: read('get_scheme', (p) => p.scheme),
    getHost: read('get_host', (p) => p.host),
    getHostname: read('get_hostname', (p) => p.hostname),
    getPort: read('get_port', (p) => p.port),
    getEscapedPath: read('get_escaped_path', (p) => p.escapedPath),
    getQuery: [
      member('url_get_query', [URL_TYPE], mapOf(STRING, listOf(STRING)), (u: UrlValue) => CelMap.of(parseQuery(u.parts.rawQuery))),
    ],
  },
}
