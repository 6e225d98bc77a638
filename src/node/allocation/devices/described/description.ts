import { messageOf } from '../../../../base/message-of.ts'
import { isObject, type Json, type JsonObject } from '../../../../machinery/object.ts'
import { decodeYaml } from '../../../../machinery/yaml/yaml.ts'
import { isExtendedResource } from '../../../../resources/pod/resource-names.ts'

/** Why a device description is invalid; the message has the path of the field. */
export class DescriptionError extends Error {
  override readonly name = 'DescriptionError'
  readonly code = 'bad-description'
}

/** From this time after the node's start, these devices are healthy, or are not. */
export interface HealthStep {
  readonly afterMs: number
  /** Indexes of devices; undefined: all of them. */
  readonly devices: readonly number[] | undefined
  readonly healthy: boolean
}

/** The simulated devices of one resource. */
export interface DescribedResource {
  readonly resource: string
  readonly count: number
  /** Undefined: all nodes. */
  readonly nodes: readonly string[] | undefined
  /** The NUMA node of each device by its index; one for all, or empty if unknown. */
  readonly numaNodes: readonly number[]
  readonly attributes: Readonly<Record<string, string>>
  /** Templates in which `$(id)`, `$(index)`, `$(ids)` and `$(attributes.NAME)` are replaced. */
  readonly env: Readonly<Record<string, string>>
  readonly deviceFiles: readonly string[]
  readonly health: readonly HealthStep[]
}

/** The most devices of one description. */
const MOST_COUNT = 10_000

/** Parses `devices.yaml`. Throws `DescriptionError`. */
export function readDescription(source: string | JsonObject): readonly DescribedResource[] {
  const value = typeof source === 'string' ? parse(source) : source
  const { devices } = record(value, 'the description')
  if (!Array.isArray(devices)) throw new DescriptionError('devices: give a list of resources')
  const all = devices.map((d, i) => described(record(d, `devices[${i}]`), `devices[${i}]`))
  return all
}

function parse(text: string): Json {
  try {
    return decodeYaml(text).value
  } catch (error) {
    throw new DescriptionError(`the description is no YAML: ${messageOf(error)}`)
  }
}

const KNOWN = new Set(['resource', 'count', 'nodes', 'numaNode', 'numaNodes', 'attributes', 'env', 'deviceFiles', 'health'])

function described(d: JsonObject, at: string): DescribedResource {
  const unknown = Object.keys(d).find((k) => !KNOWN.has(k))
  if (unknown !== undefined) throw new DescriptionError(`${at}.${unknown}: there is no such field; there are ${[...KNOWN].join(', ')}`)
  const { resource, numaNode } = d
  if (typeof resource !== 'string' || !isExtendedResource(resource))
    throw new DescriptionError(`${at}.resource: give a name such as example.com/dongle`)
  const count = number(d.count ?? 1, `${at}.count`, MOST_COUNT)
  const numaNodes = d.numaNodes === undefined ? (numaNode === undefined ? [] : [numaNode]) : list(d.numaNodes, `${at}.numaNodes`)
  return {
    resource,
    count,
    nodes: d.nodes === undefined ? undefined : list(d.nodes, `${at}.nodes`).map(String),
    numaNodes: numaNodes.map((n, i) => number(n, `${at}.numaNodes[${i}]`, 1023)),
    attributes: texts(d.attributes, `${at}.attributes`),
    env: texts(d.env, `${at}.env`),
    deviceFiles: list(d.deviceFiles ?? [], `${at}.deviceFiles`).map(String),
    health: list(d.health ?? [], `${at}.health`).map((h, i) => healthStep(record(h, `${at}.health[${i}]`), `${at}.health[${i}]`)),
  }
}

function healthStep({ afterSeconds, devices, healthy }: JsonObject, at: string): HealthStep {
  if (typeof afterSeconds !== 'number' || afterSeconds < 0) throw new DescriptionError(`${at}.afterSeconds: give a number of seconds`)
  if (typeof healthy !== 'boolean') throw new DescriptionError(`${at}.healthy: give true or false`)
  const which =
    devices === undefined ? undefined : list(devices, `${at}.devices`).map((n, i) => number(n, `${at}.devices[${i}]`, MOST_COUNT))
  return { afterMs: afterSeconds * 1000, devices: which, healthy }
}

function record(value: Json | undefined, at: string): JsonObject {
  if (!isObject(value)) throw new DescriptionError(`${at}: give a map`)
  return value
}

function list(value: Json, at: string): readonly Json[] {
  if (!Array.isArray(value)) throw new DescriptionError(`${at}: give a list`)
  return value
}

function number(value: Json, at: string, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most)
    throw new DescriptionError(`${at}: give a whole number from 0 to ${most}`)
  return value
}

const texts = (value: Json | undefined, at: string): Record<string, string> =>
  Object.fromEntries(Object.entries(value === undefined ? {} : record(value, at)).map(([k, v]) => [k, String(v)]))
