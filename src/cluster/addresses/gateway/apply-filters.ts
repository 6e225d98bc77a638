import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { HeaderChanges, PathChange, Redirect, Rewrite, RouteMatch } from './gateway-types.ts'

/** The headers after the changes of a filter: set, then added, then removed. */
export function changedHeaders(
  headers: IncomingHttpHeaders | OutgoingHttpHeaders,
  changes: HeaderChanges | undefined,
): OutgoingHttpHeaders {
  if (changes === undefined) return { ...headers }
  const result: OutgoingHttpHeaders = { ...headers }
  for (const { name, value } of changes.set) result[name.toLowerCase()] = value
  for (const { name, value } of changes.add) {
    const key = name.toLowerCase()
    const before = result[key]
    result[key] = before === undefined ? value : `${[before].flat().join(', ')}, ${value}`
  }
  for (const name of changes.remove) delete result[name]
  return result
}

/** `path`: with the query, which stays. */
export function rewrittenPath(path: string, { path: change }: Rewrite, match: RouteMatch): string {
  const end = path.indexOf('?')
  const [bare, query] = end < 0 ? [path, ''] : [path.slice(0, end), path.slice(end)]
  return change === undefined ? path : `${changedPath(bare, change, match)}${query}`
}

function changedPath(path: string, change: PathChange, match: RouteMatch): string {
  if (change.kind === 'whole') return change.path || '/'
  const rest = path.slice(match.path.endsWith('/') ? match.path.length - 1 : match.path.length)
  const prefix = change.path.endsWith('/') ? change.path.slice(0, -1) : change.path
  return `${prefix}${rest}` || '/'
}

/** Where a redirect leads. `from`: what was asked for; a port of the other scheme's default is not named. */
export function locationOf(
  { scheme, hostname, port, ...rewrite }: Redirect,
  from: { readonly scheme: string; readonly host: string; readonly port: number; readonly path: string },
  match: RouteMatch,
): string {
  const to = scheme ?? from.scheme
  const known = { http: 80, https: 443 }[to]
  const at = port ?? (scheme === undefined ? from.port : known)
  return `${to}://${hostname ?? from.host}${at === undefined || at === known ? '' : `:${at}`}${rewrittenPath(from.path, rewrite, match)}`
}
