import type { JsonObject } from '../../../../machinery/object.ts'
import { simulatedKey } from '../../../../machinery/simulated-annotations.ts'
import type { Node } from '../../../../resources/types/core.ts'
import type { DeviceGrant, OfferedDevice } from '../../../../sdk/device-plugin/device-plugin.ts'
import type { DescribedResource } from './description.ts'
import { DescriptionError } from './description.ts'

/** Annotation of a Node: the manual changes of its described devices as JSON: `{"example.com/dongle-0": "failed"}`. */
export const DEVICES_ANNOTATION = simulatedKey('devices')

/** A manual change of a device; it overrides the description. */
export type DeviceFate = 'failed' | 'healthy' | 'removed' | 'added'
const FATES: ReadonlySet<string> = new Set<DeviceFate>(['failed', 'healthy', 'removed', 'added'])

/** By full name: the resource, `-` and the index. */
export type Fates = ReadonlyMap<string, DeviceFate>

/** Reads the node's annotation; invalid entries are ignored. */
export function fatesOf(node: Node): Fates {
  const text = node.metadata.annotations?.[DEVICES_ANNOTATION]
  if (text === undefined) return new Map()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return new Map()
  }
  if (typeof value !== 'object' || value === null) return new Map()
  return new Map(Object.entries(value).filter((e): e is [string, DeviceFate] => FATES.has(String(e[1]))))
}

export const fatesText = (fates: Fates): string => JSON.stringify(Object.fromEntries(fates) as JsonObject)

/** `example.com/dongle` has the devices `dongle-0`, `dongle-1`, … */
export const deviceId = (resource: string, index: number): string => `${resource.slice(resource.indexOf('/') + 1)}-${index}`

/** The index of a device by its full name; undefined: it belongs to another resource. */
function indexIn(resource: string, fullName: string): number | undefined {
  const digits = fullName.startsWith(`${resource}-`) ? fullName.slice(resource.length + 1) : ''
  return /^\d{1,5}$/.test(digits) ? Number(digits) : undefined
}

/** The devices of a resource this long after the node's start. Pure. */
export function describedDevices(described: DescribedResource, fates: Fates, elapsedMs: number): readonly OfferedDevice[] {
  const { resource, count } = described
  const added = [...fates].flatMap(([name, fate]) => (fate === 'added' ? (indexIn(resource, name) ?? []) : []))
  const indices = [...new Set([...Array.from({ length: count }, (_, i) => i), ...added])].sort((a, b) => a - b)
  return indices.flatMap((index) => {
    const fate = fates.get(`${resource}-${index}`)
    if (fate === 'removed') return []
    const healthy = fate === 'failed' ? false : fate === 'healthy' || scriptedHealth(described, index, elapsedMs)
    const near = described.numaNodes[index] ?? described.numaNodes.at(-1)
    return [{ id: deviceId(resource, index), healthy, ...(near !== undefined && { numaNodes: [near] }) }]
  })
}

function scriptedHealth({ health }: DescribedResource, index: number, elapsedMs: number): boolean {
  const past = health.filter((h) => h.afterMs <= elapsedMs && (h.devices === undefined || h.devices.includes(index)))
  return [...past].sort((a, b) => a.afterMs - b.afterMs).at(-1)?.healthy ?? true
}

/** What these devices add to a container. Pure. */
export function describedGrant(described: DescribedResource, ids: readonly string[]): DeviceGrant {
  const fill = (text: string, id: string) =>
    text.replace(/\$\(([\w.-]+)\)/g, (whole, word: string) => {
      if (word === 'id') return id
      if (word === 'ids') return ids.join(',')
      if (word === 'index') return id.slice(id.lastIndexOf('-') + 1)
      return word.startsWith('attributes.') ? (described.attributes[word.slice('attributes.'.length)] ?? whole) : whole
    })
  const first = ids[0] ?? ''
  const files = new Set(described.deviceFiles.flatMap((file) => ids.map((id) => fill(file, id))))
  return {
    env: Object.fromEntries(Object.entries(described.env).map(([name, value]) => [name, fill(value, first)])),
    devices: [...files].map((hostPath) => ({ hostPath })),
  }
}

/** The changes after one more. Throws if it is invalid. Pure. */
export function changeFate(fates: Fates, verb: 'fail' | 'recover' | 'add' | 'remove', device: string): Fates {
  if (!/^[^/]+\/[^/]+-\d{1,5}$/.test(device))
    throw new DescriptionError(`${JSON.stringify(device)} names no device: write RESOURCE-NUMBER, such as example.com/dongle-0`)
  const changed = new Map(fates)
  const before = fates.get(device)
  if (verb === 'fail') changed.set(device, 'failed')
  else if (verb === 'recover') changed.set(device, 'healthy')
  else if (verb === 'remove' && before === 'added') changed.delete(device)
  else if (verb === 'remove') changed.set(device, 'removed')
  else if (before === 'removed') changed.delete(device)
  else if (before === undefined) changed.set(device, 'added')
  return changed
}
