import { isLabelValue, qualifiedName } from '../../machinery/names.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { tryParseQuantity } from '../../machinery/quantity.ts'
import { isExtendedResource } from '../../resources/pod/resource-names.ts'
import type { Taint } from '../../resources/types/core.ts'
import type { Machine } from './node-object.ts'

/** Why a shape is invalid; the message has the path of the field. */
export class NodeShapeError extends Error {
  override readonly name = 'NodeShapeError'
  readonly code = 'bad-shape'
}

/** What a simulated node has that the others have not. Amounts are quantities. */
export interface NodeShape {
  readonly cpu?: string
  readonly memory?: string
  readonly ephemeralStorage?: string
  readonly pods?: string
  /** Extended resources, without a device plugin: `example.com/dongle`. */
  readonly resources?: Readonly<Record<string, string>>
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
}

const AMOUNTS = ['cpu', 'memory', 'ephemeralStorage', 'pods'] as const
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const
export const SHAPE_FIELDS: readonly string[] = [...AMOUNTS, 'resources', 'labels', 'taints']

/** Reads the fields of a shape; `at` is its path in messages. @throws {NodeShapeError} */
export function readNodeShape(given: JsonObject, at: string): NodeShape {
  const amounts = AMOUNTS.flatMap((name) => (given[name] === undefined ? [] : [[name, amountIn(given[name], `${at}.${name}`)]]))
  const { resources, labels, taints } = given
  return {
    ...Object.fromEntries(amounts),
    ...(resources !== undefined && { resources: resourcesIn(resources, `${at}.resources`) }),
    ...(labels !== undefined && { labels: labelsIn(labels, `${at}.labels`) }),
    ...(taints !== undefined && { taints: taintsIn(taints, `${at}.taints`) }),
  }
}

/** The machine with the amounts of the shape. */
export function machineOf(machine: Machine, shape: NodeShape | undefined): Machine {
  if (shape === undefined) return machine
  const given = AMOUNTS.flatMap((name) => (shape[name] === undefined ? [] : [[name, shape[name]]]))
  return { ...machine, ...Object.fromEntries(given), ...(shape.resources && { resources: shape.resources }) }
}

function amountIn(value: unknown, at: string): string {
  const text = typeof value === 'number' ? String(value) : value
  const quantity = typeof text === 'string' ? tryParseQuantity(text) : undefined
  if (typeof text !== 'string' || quantity === undefined || quantity.value() < 0)
    throw new NodeShapeError(`${at}: give an amount such as 64 or 256Gi`)
  return text
}

function resourcesIn(value: unknown, at: string): NonNullable<NodeShape['resources']> {
  const entries = Object.entries(mapIn(value, at)).map(([name, amount]) => {
    if (!isExtendedResource(name)) throw new NodeShapeError(`${at}: ${JSON.stringify(name)} is no name such as example.com/dongle`)
    return [name, amountIn(amount, `${at}[${JSON.stringify(name)}]`)]
  })
  return Object.fromEntries(entries)
}

function labelsIn(value: unknown, at: string): NonNullable<NodeShape['labels']> {
  const entries = Object.entries(mapIn(value, at)).map(([key, label]) => {
    const [fault] = qualifiedName(key)
    if (fault !== undefined) throw new NodeShapeError(`${at}: ${JSON.stringify(key)} is no key of a label: ${fault}`)
    if (typeof label !== 'string' || !isLabelValue(label))
      throw new NodeShapeError(`${at}[${JSON.stringify(key)}]: ${JSON.stringify(label)} is no value of a label`)
    return [key, label]
  })
  return Object.fromEntries(entries)
}

function taintsIn(value: unknown, at: string): readonly Taint[] {
  if (!Array.isArray(value)) throw new NodeShapeError(`${at}: give a list`)
  return value.map((one, i) => {
    const { key, value: text = '', effect: given, ...rest } = mapIn(one, `${at}[${i}]`)
    const effect = EFFECTS.find((known) => known === given)
    const [unknown] = Object.keys(rest)
    if (unknown !== undefined) throw new NodeShapeError(`${at}[${i}].${unknown}: there is no such field`)
    if (typeof key !== 'string' || qualifiedName(key).length > 0) throw new NodeShapeError(`${at}[${i}].key: give the key of a taint`)
    if (typeof text !== 'string' || !isLabelValue(text)) throw new NodeShapeError(`${at}[${i}].value: give a text of at most 63 characters`)
    if (effect === undefined) throw new NodeShapeError(`${at}[${i}].effect: give one of ${EFFECTS.join(', ')}`)
    return { key, effect, ...(text !== '' && { value: text }) }
  })
}

function mapIn(value: unknown, at: string): JsonObject {
  if (!isObject(value)) throw new NodeShapeError(`${at}: give a map`)
  return value as JsonObject
}
