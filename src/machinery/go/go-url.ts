import { isIPv6 } from 'node:net'

/** A URL as Go's `net/url` parses it. */
export interface GoUrl {
  readonly scheme: string
  /** With the port, unescaped. */
  readonly host: string
  readonly hostname: string
  readonly port: string
  readonly escapedPath: string
  readonly rawQuery: string
}

/** An invalid URL; `message` is Go's, without the text itself. */
export class UrlError extends Error {
  override readonly name = 'UrlError'
}

const fail = (message: string): never => {
  throw new UrlError(message)
}

const NOWHERE = { host: '', hostname: '', port: '' }

/**
 * Parses a URL as Go's `url.ParseRequestURI` does: absolute, or a path from the root. There is no fragment.
 * @throws {UrlError}
 */
export function parseRequestUri(text: string): GoUrl {
  for (let i = 0; i < text.length; i++)
    if (text.charCodeAt(i) < 0x20 || text.charCodeAt(i) === 0x7f) fail('net/url: invalid control character in URL')
  if (text === '') fail('empty url')
  if (text === '*') return { scheme: '', ...NOWHERE, escapedPath: '*', rawQuery: '' }
  if (text.startsWith(':')) fail('missing protocol scheme')
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1]?.toLowerCase() ?? ''
  const rest = scheme === '' ? text : text.slice(scheme.length + 1)
  const mark = rest.indexOf('?')
  const before = mark < 0 ? rest : rest.slice(0, mark)
  const rawQuery = mark < 0 ? '' : rest.slice(mark + 1)
  if (!before.startsWith('/')) {
    if (scheme === '') fail('invalid URI for request')
    return { scheme, ...NOWHERE, escapedPath: '', rawQuery }
  }
  if (scheme === '' || !before.startsWith('//')) return { scheme, ...NOWHERE, escapedPath: escapePath(before), rawQuery }
  const slash = before.indexOf('/', 2)
  const end = slash < 0 ? before.length : slash
  return { scheme, ...parseAuthority(scheme, before.slice(2, end)), escapedPath: escapePath(before.slice(end)), rawQuery }
}

/** True if Go's `url.ParseRequestURI` accepts a text. */
export function isRequestUri(text: string): boolean {
  try {
    parseRequestUri(text)
    return true
  } catch (error) {
    if (error instanceof UrlError) return false
    throw error
  }
}

function parseAuthority(scheme: string, authority: string): typeof NOWHERE {
  const at = authority.lastIndexOf('@')
  const host = parseHost(scheme, authority.slice(at + 1))
  if (at >= 0) {
    const user = authority.slice(0, at)
    if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) fail('net/url: invalid userinfo')
    unescaped(user)
  }
  const colon = host.lastIndexOf(':')
  const split = colon >= 0 && isOptionalPort(host.slice(colon)) ? colon : host.length
  const name = host.slice(0, split)
  const hostname = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
  return { host, hostname, port: host.slice(split + 1) }
}

const isOptionalPort = (text: string) => text === '' || /^:\d*$/.test(text)

function checkPort(text: string): void {
  if (!isOptionalPort(text)) fail(`invalid port ${JSON.stringify(text)} after host`)
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[')
  if (open > 0) fail('invalid IP-literal')
  if (open === 0) return parseLiteral(host)
  const first = host.indexOf(':')
  // Lists of hosts with ports occur in URLs of databases, not of the web.
  if (first >= 0) checkPort(host.slice(scheme === 'http' || scheme === 'https' ? first : host.lastIndexOf(':')))
  return unescapeHost(host)
}

/** `[fe80::1%25en0]:80` */
function parseLiteral(host: string): string {
  const close = host.lastIndexOf(']')
  if (close < 0) fail("missing ']' in host")
  checkPort(host.slice(close + 1))
  const name = host.slice(1, close)
  const zone = name.indexOf('%25')
  const address = unescapeHost(zone < 0 ? name : name.slice(0, zone))
  const shown = zone < 0 ? address : `${address}${unescapeZone(name.slice(zone))}`
  if (/^[\d.]+$/.test(address) && address.split('.').length === 4) fail('invalid IP-literal')
  if (!isIPv6(address) || shown.endsWith('%')) fail(`invalid host: ParseAddr(${JSON.stringify(shown)}): unable to parse IP`)
  return `[${shown}]${host.slice(close + 1)}`
}

function unescapeZone(zone: string): string {
  checkHostLetters(zone.replace(/%[0-9a-fA-F]{2}/g, ''))
  return unescaped(zone)
}

/** In hosts only non-ASCII characters may be escaped. */
function unescapeHost(host: string): string {
  checkHostLetters(host)
  return unescaped(host)
}

function checkHostLetters(host: string): void {
  const wrong = /%(?!25|[89a-fA-F][0-9a-fA-F]).{0,2}|[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/su.exec(host)?.[0]
  if (wrong?.startsWith('%')) fail(`invalid URL escape ${JSON.stringify(wrong)}`)
  if (wrong !== undefined) fail(`invalid character ${JSON.stringify(wrong)} in host name`)
}

function unescaped(text: string): string {
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text)
  if (wrong !== null) fail(`invalid URL escape ${JSON.stringify(wrong[0])}`)
  if (!text.includes('%')) return text
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
}

/** The path as written if that is a valid encoding, else escaped again. */
function escapePath(path: string): string {
  unescaped(path)
  if (/^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/.test(path)) return path
  let escaped = ''
  for (const [part, hex] of path.matchAll(/%([0-9a-fA-F]{2})|./gsu)) {
    for (const byte of hex === undefined ? Buffer.from(part) : [Number.parseInt(hex, 16)]) {
      const c = String.fromCharCode(byte)
      escaped += /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(c) ? c : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    }
  }
  return escaped
}

/** The parameters of a query, by name; invalid ones are skipped (Go's `url.ParseQuery`). */
export function parseQuery(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>()
  for (const part of query.split('&')) {
    if (part === '' || part.includes(';')) continue
    const equals = part.indexOf('=')
    try {
      const name = queryText(equals < 0 ? part : part.slice(0, equals))
      const value = equals < 0 ? '' : queryText(part.slice(equals + 1))
      const known = values.get(name)
      if (known === undefined) values.set(name, [value])
      else known.push(value)
    } catch (error) {
      if (!(error instanceof UrlError)) throw error
    }
  }
  return values
}

const queryText = (text: string) => unescaped(text.replaceAll('+', ' '))
