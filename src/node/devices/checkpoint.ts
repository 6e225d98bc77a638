import type { Json, JsonObject } from '../../machinery/object.ts'
import { ContainerAllocateResponse } from '../../sdk/node-api/device-plugin.ts'
import type { LedgerEntry } from './device-ledger.ts'

/** The kubelet's file of who holds which devices. */
export const CHECKPOINT_FILE = 'kubelet_internal_checkpoint'

export interface Checkpoint {
  readonly entries: readonly LedgerEntry[]
  /** The ids of each resource that is known. */
  readonly registered: ReadonlyMap<string, readonly string[]>
}

/** Why a checkpoint cannot be read; the message says what is wrong with it. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError'
  readonly code = 'corrupt'
}

interface StoredEntry {
  readonly PodUID: string
  readonly ContainerName: string
  readonly ResourceName: string
  readonly DeviceIDs: Readonly<Record<string, readonly string[] | null>> | null
  readonly AllocResp: string | null
}

interface Stored {
  readonly PodDeviceEntries: readonly StoredEntry[] | null
  readonly RegisteredDevices: Readonly<Record<string, readonly string[] | null>> | null
}

/** The text of the file, as the kubelet writes it; an answer of a plugin that is not known any more is null. */
export function writeCheckpoint({ entries, registered }: Checkpoint): string {
  const stored = entries.map(
    (e): StoredEntry => ({
      PodUID: e.podUid,
      ContainerName: e.container,
      ResourceName: e.resource,
      DeviceIDs: Object.fromEntries(e.byNuma),
      AllocResp: e.response === undefined ? null : ContainerAllocateResponse.encode(e.response).toString('base64'),
    }),
  )
  const data: Stored = { PodDeviceEntries: stored.length === 0 ? null : stored, RegisteredDevices: Object.fromEntries(registered) }
  return JSON.stringify({ Data: data, Checksum: checksumOf(data) })
}

/** Reads the file. Throws `CheckpointError` where it was cut short or changed. */
export function readCheckpoint(text: string): Checkpoint {
  const { data, checksum } = parse(text)
  const own = checksumOf(data)
  if (checksum !== own) throw new CheckpointError(`its checksum is ${checksum} and should be ${own}`)
  return {
    entries: (data.PodDeviceEntries ?? []).map(entryOf),
    registered: new Map(Object.entries(data.RegisteredDevices ?? {}).map(([name, ids]) => [name, ids ?? []])),
  }
}

function entryOf(stored: StoredEntry): LedgerEntry {
  try {
    return {
      podUid: stored.PodUID,
      container: stored.ContainerName,
      resource: stored.ResourceName,
      byNuma: new Map(Object.entries(stored.DeviceIDs ?? {}).map(([node, ids]) => [Number(node), ids ?? []])),
      response: stored.AllocResp === null ? undefined : ContainerAllocateResponse.decode(Buffer.from(stored.AllocResp, 'base64')),
    }
  } catch (error) {
    throw new CheckpointError(`the answer of a plugin in it cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

function parse(text: string): { readonly data: Stored; readonly checksum: number } {
  let whole: Json
  try {
    whole = JSON.parse(text)
  } catch (error) {
    throw new CheckpointError(`it is no JSON: ${error instanceof Error ? error.message : error}`)
  }
  if (!isRecord(whole) || !isRecord(whole.Data) || typeof whole.Checksum !== 'number')
    throw new CheckpointError('it holds no Data or no Checksum')
  const { PodDeviceEntries = null, RegisteredDevices = null } = whole.Data
  const entries = PodDeviceEntries === null || (Array.isArray(PodDeviceEntries) && PodDeviceEntries.every(isEntry))
  if (!entries || !isIdMap(RegisteredDevices)) throw new CheckpointError('its Data is of another shape')
  return { data: { PodDeviceEntries, RegisteredDevices } as unknown as Stored, checksum: whole.Checksum }
}

const isRecord = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
const isIds = (value: Json | undefined) => value === null || (Array.isArray(value) && value.every((id) => typeof id === 'string'))
const isIdMap = (value: Json | undefined) => value === null || (isRecord(value) && Object.values(value).every(isIds))

function isEntry(value: Json): boolean {
  if (!isRecord(value)) return false
  const texts = [value.PodUID, value.ContainerName, value.ResourceName].every((t) => typeof t === 'string')
  const numa = isIdMap(value.DeviceIDs ?? null) && Object.keys((value.DeviceIDs ?? {}) as JsonObject).every((k) => /^-?\d+$/.test(k))
  return texts && numa && (value.AllocResp === null || typeof value.AllocResp === 'string')
}

/**
 * FNV-1a over the text that Go's `spew` makes of the data, types included: so the kubelet takes the file for its own. Keys of maps are sorted, by their bytes.
 */
function checksumOf(data: Stored): number {
  const entries = goList(data.PodDeviceEntries, (e) => {
    const numa = goMap(e.DeviceIDs, (a, b) => Number(a) - Number(b))
    const bytes = e.AllocResp === null ? '<nil>' : `[${[...Buffer.from(e.AllocResp, 'base64')].join(' ')}]`
    const names = `PodUID:(string)${e.PodUID} ContainerName:(string)${e.ContainerName} ResourceName:(string)${e.ResourceName}`
    return `{${names} DeviceIDs:(checkpoint.DevicesPerNUMA)${numa} AllocResp:([]uint8)${bytes}}`
  })
  const registered = goMap(data.RegisteredDevices, (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return fnv1a(
    `(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)${entries} RegisteredDevices:(map[string][]string)${registered}}`,
  )
}

const goList = <T>(list: readonly T[] | null, one: (value: T) => string) => (list === null ? '<nil>' : `[${list.map(one).join(' ')}]`)

function goMap(map: Readonly<Record<string, readonly string[] | null>> | null, order: (a: string, b: string) => number): string {
  if (map === null) return '<nil>'
  const pairs = Object.entries(map).sort(([a], [b]) => order(a, b))
  return `map[${pairs.map(([key, ids]) => `${key}:${goList(ids, (id) => id)}`).join(' ')}]`
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
