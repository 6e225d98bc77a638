import { type Clock, timestamp } from '../../base/clock.ts'
import { isObject, type Json } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { encodeYaml } from '../../machinery/yaml/yaml.ts'
import type { PlainRequest, PlainResponse } from '../request/plain-paths.ts'
import { versionInfo } from './version.ts'

type Facts = Readonly<Record<string, Json>>

const PATHS = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version']
const VERSIONS = ['v1beta1', 'v1alpha1']
const TYPES = ['application/json', 'application/yaml']

/** `/statusz`: since when this program runs, and which version it is. */
export function statusPage(clock: Clock, gitVersion: string): (request: PlainRequest) => PlainResponse {
  const startedMs = clock.now()
  const { major, minor, goVersion } = versionInfo(gitVersion)
  const version = `${major}.${minor}`
  return zpage('Statusz', () => ({
    startTime: timestamp(startedMs),
    uptimeSeconds: Math.floor((clock.now() - startedMs) / 1000),
    goVersion,
    binaryVersion: version,
    emulationVersion: version,
    paths: PATHS,
  }))
}

/** `/statusz` and `/flagz`: facts about this program, as text for people or structured for tools. */
export function zpage(kind: 'Statusz' | 'Flagz', facts: () => Facts): (request: PlainRequest) => PlainResponse {
  return ({ headers }) => {
    const accept = headers.accept ?? ''
    for (const version of VERSIONS)
      for (const type of TYPES) if (asksFor(accept, type, kind, version)) return structured({ kind, type, version }, facts())
    if (accept === '' || /(^|,)\s*(text\/plain|\*\/\*|text\/\*)/.test(accept)) return asText(kind, facts())
    const message = `only the following media types are accepted: ${[...TYPES, 'text/plain'].join(', ')}`
    throw new StatusError({ code: 406, reason: 'NotAcceptable', message })
  }
}

const UNCACHED = { 'cache-control': 'no-cache, private' }

interface Form {
  readonly kind: 'Statusz' | 'Flagz'
  readonly type: string
  readonly version: string
}

function structured({ kind, type, version }: Form, facts: Facts): PlainResponse {
  const body = { kind, apiVersion: `config.k8s.io/${version}`, metadata: { name: 'apiserver' }, ...facts }
  const old = `299 - "This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version."`
  return {
    code: 200,
    headers: {
      'content-type': `${type};g=config.k8s.io;v=${version};as=${kind}`,
      ...UNCACHED,
      ...(version !== VERSIONS[0] && { warning: old }),
    },
    body: type === 'application/yaml' ? encodeYaml(body) : `${JSON.stringify(body)}\n`,
  }
}

function asText(kind: string, facts: Facts): PlainResponse {
  const shown = (value: Json | undefined) => (Array.isArray(value) ? value.join(' ') : String(value))
  const lines = Object.entries(isObject(facts.flags) ? facts.flags : facts).map(([name, value]) => `${titleOf(name)}: ${shown(value)}`)
  const body = `\napiserver ${kind.toLowerCase()}\n\n${lines.join('\n')}\n`
  return { code: 200, headers: { 'content-type': 'text/plain; charset=utf-8', ...UNCACHED }, body }
}

/** `startTime` as `Start time`. */
const titleOf = (name: string) => name.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`).replace(/^./, (c) => c.toUpperCase())

function asksFor(accept: string, type: string, kind: string, version: string): boolean {
  const wanted = ['g=config.k8s.io', `v=${version}`, `as=${kind}`]
  return accept.split(',').some((clause) => {
    const parts = clause.split(';').map((p) => p.trim())
    return parts[0] === type && wanted.every((p) => parts.includes(p))
  })
}
