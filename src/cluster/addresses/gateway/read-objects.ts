import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { KubeObject } from '../../../machinery/object.ts'
import { type Fields, fields, list } from './foreign-fields.ts'
import {
  GATEWAY_GROUP,
  type Gateway,
  type Grant,
  type HeaderChanges,
  type HttpRoute,
  type Listener,
  type NameAndValue,
  type Named,
  type ObjectRef,
  type ParentRef,
  type PathChange,
  type Redirect,
  type Rewrite,
  type RouteBackend,
  type RouteFilters,
  type RouteMatch,
  type RouteRule,
} from './gateway-types.ts'

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])
const text = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise)
const number = (value: unknown): number | undefined => (typeof value === 'number' && Number.isInteger(value) ? value : undefined)

/** The name of the controller of a GatewayClass. */
export const controllerOf = (gatewayClass: KubeObject): string => text(fields(gatewayClass.spec).controllerName)

export function readGateway(object: KubeObject): Gateway {
  const spec = fields(object.spec)
  const named = namedOf(object)
  const listeners = list(spec.listeners).map((listener) => readListener(listener, named.namespace))
  return { ...named, className: text(spec.gatewayClassName), listeners, status: object.status }
}

function readListener({ name, hostname, port, protocol, tls, allowedRoutes }: Fields, namespace: string): Listener {
  const { mode, certificateRefs } = fields(tls)
  const { namespaces, kinds } = fields(allowedRoutes)
  const allowedKinds = list(kinds).map((kind) => ({ group: text(kind.group, GATEWAY_GROUP), kind: text(kind.kind) }))
  return {
    name: text(name),
    hostname: text(hostname).toLowerCase(),
    port: number(port) ?? 0,
    protocol: text(protocol),
    tlsMode: text(mode, 'Terminate'),
    certificates: list(certificateRefs).map((ref) => refOf(ref, { namespace, group: '', kind: 'Secret' })),
    allowed: {
      from: text(fields(namespaces).from, 'Same'),
      selector: fields(namespaces).selector,
      kinds: allowedKinds.length === 0 ? undefined : allowedKinds,
    },
  }
}

export function readHttpRoute(object: KubeObject): HttpRoute {
  const spec = fields(object.spec)
  const named = namedOf(object)
  const unsupported: string[] = []
  return {
    ...named,
    hostnames: texts(spec.hostnames).map((host) => host.toLowerCase()),
    parents: list(spec.parentRefs).map((parent) => readParent(parent, named.namespace)),
    rules: list(spec.rules).map((rule, i) => readRule(rule, named.namespace, `spec.rules[${i}]`, unsupported)),
    unsupported,
    status: object.status,
  }
}

export function readGrant(object: KubeObject): Grant {
  const spec = fields(object.spec)
  return {
    namespace: object.metadata.namespace ?? '',
    from: list(spec.from).map(({ group, kind, namespace }) => ({ group: text(group), kind: text(kind), namespace: text(namespace) })),
    to: list(spec.to).map(({ group, kind, name }) => ({ group: text(group), kind: text(kind), name: text(name) })),
  }
}

function namedOf({ metadata: { name = '', namespace = '', generation = 0, creationTimestamp = '' } }: KubeObject): Named {
  return { name, namespace, generation, created: creationTimestamp ?? '' }
}

const refOf = (
  { group, kind, namespace, name }: Fields,
  defaults: { readonly group: string; readonly kind: string; readonly namespace: string },
): ObjectRef => ({
  group: text(group, defaults.group),
  kind: text(kind, defaults.kind),
  namespace: text(namespace, defaults.namespace),
  name: text(name),
})

const readParent = (given: Fields, namespace: string): ParentRef => ({
  ...refOf(given, { group: GATEWAY_GROUP, kind: 'Gateway', namespace }),
  sectionName: given.sectionName === undefined ? undefined : text(given.sectionName),
  port: number(given.port),
  given,
})

function readRule(rule: Fields, namespace: string, at: string, unsupported: string[]): RouteRule {
  for (const name of ['timeouts', 'retry', 'sessionPersistence']) if (rule[name] !== undefined) unsupported.push(`${at}.${name}`)
  const matches = list(rule.matches).map((match, i) => readMatch(match, `${at}.matches[${i}]`, unsupported))
  return {
    matches: matches.length === 0 ? [readMatch({}, at, unsupported)] : matches,
    filters: Object.assign({}, ...list(rule.filters).map((filter, i) => readFilter(filter, `${at}.filters[${i}]`, unsupported))),
    backends: list(rule.backendRefs).map((backend, i): RouteBackend => {
      if (list(backend.filters).length > 0) unsupported.push(`${at}.backendRefs[${i}].filters`)
      const weight = Math.max(0, number(backend.weight) ?? 1)
      return { ...refOf(backend, { group: '', kind: 'Service', namespace }), port: number(backend.port), weight }
    }),
  }
}

function readMatch({ path, method, headers, queryParams }: Fields, at: string, unsupported: string[]): RouteMatch {
  const { type = 'PathPrefix', value } = fields(path)
  if (type !== 'PathPrefix' && type !== 'Exact') unsupported.push(`${at}.path.type ${text(type)}`)
  const exactly = (given: unknown, where: string) =>
    list(given).map((one, i) => {
      if (text(one.type, 'Exact') !== 'Exact') unsupported.push(`${at}.${where}[${i}].type ${text(one.type)}`)
      return { name: text(one.name), value: text(one.value) }
    })
  const named = exactly(headers, 'headers').map(({ name, value: is }) => ({ name: name.toLowerCase(), value: is }))
  return {
    exact: type === 'Exact',
    path: text(value, '/'),
    method: method === undefined ? undefined : text(method),
    // Of two matches of one header the first counts.
    headers: named.filter(({ name }, i) => named.findIndex((other) => other.name === name) === i),
    query: exactly(queryParams, 'queryParams'),
  }
}

function readFilter(filter: Fields, at: string, unsupported: string[]): RouteFilters {
  switch (filter.type) {
    case 'RequestHeaderModifier':
      return { request: headerChanges(filter.requestHeaderModifier, at, unsupported) }
    case 'ResponseHeaderModifier':
      return { response: headerChanges(filter.responseHeaderModifier, at, unsupported) }
    case 'RequestRedirect':
      return { redirect: readRedirect(fields(filter.requestRedirect)) }
    case 'URLRewrite':
      return { rewrite: readRewrite(fields(filter.urlRewrite)) }
    default:
      unsupported.push(`${at}.type ${text(filter.type)}`)
      return {}
  }
}

function headerChanges(given: unknown, at: string, unsupported: string[]): HeaderChanges {
  const { set, add, remove } = fields(given)
  const usable = (headers: unknown): readonly NameAndValue[] =>
    list(headers).flatMap((header) => {
      const [name, value] = [text(header.name), text(header.value)]
      if (isHeader(name, value)) return [{ name, value }]
      unsupported.push(`${at}: the header ${JSON.stringify(name.slice(0, 64))}`)
      return []
    })
  return { set: usable(set), add: usable(add), remove: texts(remove).map((name) => name.toLowerCase()) }
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

function readRedirect(given: Fields): Redirect {
  const port = number(given.port)
  const scheme = text(given.scheme)
  return { ...readRewrite(given), ...(scheme && { scheme }), ...(port && { port }), statusCode: number(given.statusCode) ?? 302 }
}

function readRewrite({ hostname, path }: Fields): Rewrite {
  const change = path === undefined ? undefined : readPathChange(fields(path))
  return { ...(text(hostname) && { hostname: text(hostname) }), ...(change && { path: change }) }
}

function readPathChange({ type, replaceFullPath, replacePrefixMatch }: Fields): PathChange | undefined {
  if (type === 'ReplaceFullPath') return { kind: 'whole', path: text(replaceFullPath) }
  return type === 'ReplacePrefixMatch' ? { kind: 'prefix', path: text(replacePrefixMatch) } : undefined
}
