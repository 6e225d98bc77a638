import { messageOf } from '../../../base/message-of.ts'
import { isObject, type Json, type JsonObject } from '../../../machinery/object.ts'
import { ContainerAllocateResponse } from '../../../sdk/node-api/device-plugin.ts'
import { goChecksum, goMap } from '../../checkpoints/go-checksum.ts'
import type { LedgerEntry } from './device-ledger.ts'

/** The kubelet's checkpoint file of device assignments. */
export const CHECKPOINT_FILE = 'kubelet_internal_checkpoint'

export interface Checkpoint {
  readonly entries: readonly LedgerEntry[]
  /** The device ids of each known resource. */
  readonly registered: ReadonlyMap<string, readonly string[]>
}

/** Why a checkpoint cannot be read; the message has the reason. */
export class DeviceCheckpointError extends Error {
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

/** The file's text, as the kubelet writes it. A plugin response that is not known any more is null. */
export function writeCheckpoint({ entries, registered }: Checkpoint): string {
  const written = entries.map((entry) => remembered(WRITTEN_ENTRIES, entry, writtenEntry))
  const ids = [...registered].map(([name, list]): readonly [string, Written] => [name, remembered(WRITTEN_IDS, list, writtenIds)])
  const json = (all: readonly string[]) => all.join(',')
  const own = written.length === 0 ? 'null' : `[${json(written.map((w) => w.json))}]`
  const known = `{${json(ids.map(([name, w]) => `${JSON.stringify(name)}:${w.json}`))}}`
  const checksum = goChecksum(
    dataText(written.length === 0 ? null : written.map((w) => w.go), new Map(ids.map(([name, w]) => [name, w.go]))),
  )
  return `{"Data":{"PodDeviceEntries":${own},"RegisteredDevices":${known}},"Checksum":${checksum}}`
}

/** An encoded entry, and its form in the checksum. */
interface Written {
  readonly json: string
  readonly go: string
}

/** Most entries have not changed since the last write: each is encoded once. */
const WRITTEN_ENTRIES = new WeakMap<LedgerEntry, Written>()
const WRITTEN_IDS = new WeakMap<readonly string[], Written>()

function remembered<T extends object>(known: WeakMap<T, Written>, part: T, write: (part: T) => Written): Written {
  const before = known.get(part)
  if (before !== undefined) return before
  const written = write(part)
  known.set(part, written)
  return written
}

function writtenEntry(e: LedgerEntry): Written {
  const stored: StoredEntry = {
    PodUID: e.podUid,
    ContainerName: e.container,
    ResourceName: e.resource,
    DeviceIDs: Object.fromEntries(e.byNuma),
    AllocResp: e.response === undefined ? null : ContainerAllocateResponse.encode(e.response).toString('base64'),
  }
  return { json: JSON.stringify(stored), go: entryText(stored) }
}

const writtenIds = (ids: readonly string[]): Written => ({ json: JSON.stringify(ids), go: goIds(ids) })

/** Parses the file. Throws `DeviceCheckpointError` if it was truncated or changed. */
export function readCheckpoint(text: string): Checkpoint {
  const { data, checksum } = parse(text)
  const own = checksumOf(data)
  if (checksum !== own) throw new DeviceCheckpointError(`its checksum is ${checksum} and should be ${own}`)
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
    throw new DeviceCheckpointError(`the answer of a plugin in it cannot be read: ${messageOf(error)}`)
  }
}

function parse(text: string): { readonly data: Stored; readonly checksum: number } {
  let whole: Json
  try {
    whole = JSON.parse(text)
  } catch (error) {
    throw new DeviceCheckpointError(`it is no JSON: ${messageOf(error)}`)
  }
  if (!isObject(whole) || !isObject(whole.Data) || typeof whole.Checksum !== 'number')
    throw new DeviceCheckpointError('it holds no Data or no Checksum')
  const { PodDeviceEntries = null, RegisteredDevices = null } = whole.Data
  const entries = PodDeviceEntries === null || (Array.isArray(PodDeviceEntries) && PodDeviceEntries.every(isEntry))
  if (!entries || !isIdMap(RegisteredDevices)) throw new DeviceCheckpointError('its Data is of another shape')
  return { data: { PodDeviceEntries, RegisteredDevices } as unknown as Stored, checksum: whole.Checksum }
}

const isIds = (value: Json | undefined) => value === null || (Array.isArray(value) && value.every((id) => typeof id === 'string'))
const isIdMap = (value: Json | undefined) => value === null || (isObject(value) && Object.values(value).every(isIds))

function isEntry(value: Json): boolean {
  if (!isObject(value)) return false
  const texts = [value.PodUID, value.ContainerName, value.ResourceName].every((t) => typeof t === 'string')
  const numa = isIdMap(value.DeviceIDs ?? null) && Object.keys((value.DeviceIDs ?? {}) as JsonObject).every((k) => /^-?\d+$/.test(k))
  return texts && numa && (value.AllocResp === null || typeof value.AllocResp === 'string')
}

/** The checksum of the file's data. */
function checksumOf({ PodDeviceEntries, RegisteredDevices }: Stored): number {
  const registered = RegisteredDevices && new Map(Object.entries(RegisteredDevices).map(([name, ids]) => [name, goIds(ids)]))
  return goChecksum(dataText(PodDeviceEntries?.map(entryText) ?? null, registered))
}

/**
 * The text that Go's `spew` makes of the data, types included. The checksum is computed over it, so that a kubelet accepts the file. Keys
 * of maps are sorted bytewise.
 */
function dataText(entries: readonly string[] | null, registered: ReadonlyMap<string, string> | null): string {
  const list = goList(entries, (e) => e)
  const map = registered === null ? '<nil>' : goMap(Object.fromEntries(registered), (ids) => ids)
  return `(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)${list} RegisteredDevices:(map[string][]string)${map}}`
}

function entryText(e: StoredEntry): string {
  const numa = e.DeviceIDs === null ? '<nil>' : goMap(e.DeviceIDs, goIds, 'numbers')
  const bytes = e.AllocResp === null ? '<nil>' : `[${[...Buffer.from(e.AllocResp, 'base64')].join(' ')}]`
  const names = `PodUID:(string)${e.PodUID} ContainerName:(string)${e.ContainerName} ResourceName:(string)${e.ResourceName}`
  return `{${names} DeviceIDs:(checkpoint.DevicesPerNUMA)${numa} AllocResp:([]uint8)${bytes}}`
}

const goList = <T>(list: readonly T[] | null, one: (value: T) => string) => (list === null ? '<nil>' : `[${list.map(one).join(' ')}]`)
const goIds = (ids: readonly string[] | null) => goList(ids, (id) => id)
