import { goQuote } from '../../machinery/field-error.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { ConnectQuery } from '../../machinery/resource/definition.ts'
import { badRequest } from '../../machinery/status-error.ts'

const flags = (query: ConnectQuery, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => isTrue(query.get(name))).map((name) => [name, true]))

/** False only if absent, `0` or `false`. */
const isTrue = (text: string | undefined) => text !== undefined && text !== '0' && text.toLowerCase() !== 'false'

const container = (query: ConnectQuery): JsonObject => {
  const name = query.get('container') ?? ''
  return name === '' ? {} : { container: name }
}

const STREAMS = ['stdin', 'stdout', 'stderr', 'tty']

/** PodAttachOptions. */
export const attachOptions = (query: ConnectQuery): JsonObject => ({ ...flags(query, STREAMS), ...container(query) })

/** PodExecOptions. */
export function execOptions(query: ConnectQuery): JsonObject {
  const command = query.all('command')
  return { ...attachOptions(query), command: command.length === 0 ? null : [...command] }
}

/** PodPortForwardOptions. */
export function portForwardOptions(query: ConnectQuery): JsonObject {
  const ports = query.all('ports').flatMap((text) => text.split(','))
  return ports.length === 0 ? {} : { ports: ports.map(port) }
}

function port(text: string): number {
  const wrong = (why: string) => badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${goQuote(text)}: ${why}`)
  if (!/^\d+$/.test(text)) throw wrong('invalid syntax')
  const value = Number(text)
  if (value > 65_535) throw wrong('value out of range')
  return value
}

/** PodProxyOptions, ServiceProxyOptions, NodeProxyOptions. */
export const proxyOptions = (_: ConnectQuery, path: string): JsonObject => (path === '' ? {} : { path })
