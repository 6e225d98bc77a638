import type { Handler } from './api-request.ts'
import { type KubeletResponse, NOT_FOUND, text } from './kubelet-response.ts'

/** One path of a service: `/{podNamespace}/{podID}`; `{logpath:*}` matches the non-empty rest. */
export interface Route {
  readonly path: string
  readonly methods: Readonly<Record<string, Handler>>
}

/** The routes under one prefix. A prefix with a trailing slash does not match without it. */
export interface Service {
  readonly prefix: string
  /** The media types that it produces; a request that accepts none of them is refused. */
  readonly produces?: readonly string[]
  readonly routes: readonly Route[]
}

/** Services, and single paths that accept every method. */
export interface RouteTable {
  readonly services: readonly Service[]
  readonly plain: Readonly<Record<string, Handler>>
}

export type RouteMatch =
  /** A response without authentication. */
  | { readonly kind: 'open'; readonly answer: KubeletResponse }
  /** A refusal after authorization. */
  | { readonly kind: 'refused'; readonly answer: KubeletResponse }
  | { readonly kind: 'handler'; readonly handler: Handler; readonly parameters: Readonly<Record<string, string>> }

interface RouteRequest {
  readonly method: string
  readonly path: string
  /** The path as received: an escaped slash separates no segments. Default: `path`, escaped. */
  readonly escaped?: string
  /** With its question mark, or `''`. */
  readonly search: string
  readonly accept: string
}

/** Finds the handler, as Go's ServeMux and go-restful's container behind it do. */
export function findRoute(table: RouteTable, requested: RouteRequest): RouteMatch {
  const { escaped = encodeURI(requested.path), path: clean } = requested
  const cleaned = cleanPath(escaped)
  if (cleaned !== escaped) return redirect(cleaned, requested)
  if (Object.hasOwn(table.plain, clean)) return { kind: 'handler', handler: table.plain[clean] ?? gone, parameters: {} }
  const service = table.services.find((s) => clean === s.prefix || clean.startsWith(s.prefix.endsWith('/') ? s.prefix : `${s.prefix}/`))
  if (service !== undefined) return inService(service, requested)
  if (table.services.some((s) => s.prefix === `${clean}/`)) return redirect(`${cleaned}/`, requested)
  return { kind: 'open', answer: NOT_FOUND }
}

const gone: Handler = () => NOT_FOUND

function inService(service: Service, { method, path, accept }: RouteRequest): RouteMatch {
  const tokens = path
    .slice(service.prefix.length)
    .split('/')
    .filter((t) => t !== '')
  const matching = service.routes.flatMap((route) => {
    const parameters = match(route.path, tokens)
    return parameters === undefined ? [] : [{ route, parameters }]
  })
  const [first] = matching
  if (first === undefined) return { kind: 'refused', answer: text(404, '404: Page Not Found') }
  const { route, parameters } = first
  const handler = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined
  if (handler === undefined) {
    const headers = { Allow: Object.keys(route.methods).join(', ') }
    return { kind: 'refused', answer: text(405, '405: Method Not Allowed', headers) }
  }
  const { produces = [] } = service
  if (!accepts(accept, produces))
    return { kind: 'refused', answer: text(406, `406: Not Acceptable\n\nAvailable representations: ${produces.join(', ')}`) }
  return { kind: 'handler', handler, parameters }
}

function match(template: string, tokens: readonly string[]): Record<string, string> | undefined {
  const parts = template.split('/').filter((p) => p !== '')
  const parameters: Record<string, string> = {}
  for (const [i, part] of parts.entries()) {
    const rest = /^\{(\w+):\*\}$/.exec(part)?.[1]
    const token = tokens[i]
    if (token === undefined) return undefined
    if (rest !== undefined) return { ...parameters, [rest]: tokens.slice(i).join('/') }
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name !== undefined) parameters[name] = token
    else if (part !== token) return undefined
  }
  return tokens.length === parts.length ? parameters : undefined
}

/** Quality values are ignored. */
function accepts(accept: string, produces: readonly string[]): boolean {
  const wanted = (accept === '' ? '*/*' : accept).split(',').map((t) => t.split(';')[0]?.trim() ?? '')
  return produces.includes('*/*') || wanted.some((type) => type === '*/*' || produces.includes(type))
}

/** Go's `path.Clean`, but keeps a trailing slash. */
export function cleanPath(path: string): string {
  const kept: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') kept.pop()
    else if (part !== '' && part !== '.') kept.push(part)
  }
  const joined = `/${kept.join('/')}`
  return joined !== '/' && /\/\.{0,2}$/.test(path) ? `${joined}/` : joined
}

function redirect(to: string, { method, search }: RouteRequest): RouteMatch {
  const location = to + search
  const shown = location.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&#34;').replace(/'/g, '&#39;')
  const typed = method === 'GET' || method === 'HEAD' ? { 'Content-Type': 'text/html; charset=utf-8' } : {}
  const body = method === 'GET' ? `<a href="${shown}">Temporary Redirect</a>.\n\n` : ''
  return { kind: 'open', answer: { code: 307, headers: { ...typed, Location: location }, body } }
}
