import { crc32 } from 'node:zlib'
import { messageOf } from '../../../base/message-of.ts'
import { isObject, type Json } from '../../../machinery/object.ts'
import type { PreparedDevice } from '../../../sdk/node-api/dra-plugin.ts'
import type { PreparedClaim } from './prepared-claims.ts'

/** The kubelet's checkpoint file of prepared claims. */
export const CLAIM_CHECKPOINT = 'dra_manager_state'

/** Why the file cannot be read; the message has the reason. */
export class ClaimCheckpointError extends Error {
  override readonly name = 'ClaimCheckpointError'
  readonly code = 'corrupt'
}

interface StoredDevice {
  readonly PoolName: string
  readonly DeviceName: string
  readonly ShareID: string | null
  readonly RequestNames: readonly string[] | null
  readonly CDIDeviceIDs: readonly string[] | null
}

interface StoredClaim {
  readonly ClaimUID: string
  readonly ClaimName: string
  readonly Namespace: string
  readonly PodUIDs: Readonly<Record<string, object>> | null
  readonly DriverState: Readonly<Record<string, { readonly Devices: readonly StoredDevice[] | null }>> | null
}

const KIND = { kind: 'DRACheckpoint', apiVersion: 'checkpoint.dra.kubelet.k8s.io/v1' }

/** The file's text, as the kubelet writes it: the data as a JSON string, and its checksum. */
export function writeClaims(claims: readonly PreparedClaim[]): string {
  const list = claims.map(
    (c): StoredClaim => ({
      ClaimUID: c.uid,
      ClaimName: c.name,
      Namespace: c.namespace,
      PodUIDs: Object.fromEntries([...c.pods].map((uid) => [uid, {}])),
      DriverState: Object.fromEntries([...c.drivers].map(([driver, devices]) => [driver, { Devices: listed(devices.map(stored)) }])),
    }),
  )
  const Data = JSON.stringify({ ...KIND, ClaimInfoStateList: list })
  return JSON.stringify({ Data, Checksum: crc32(Data) })
}

const listed = <T>(list: readonly T[]) => (list.length === 0 ? null : list)

const stored = (d: PreparedDevice): StoredDevice => ({
  PoolName: d.poolName,
  DeviceName: d.deviceName,
  ShareID: d.shareId === '' ? null : d.shareId,
  RequestNames: listed(d.requestNames),
  CDIDeviceIDs: listed(d.cdiDeviceIds),
})

/** Parses the file. Throws `ClaimCheckpointError` if it was truncated or changed. */
export function readClaims(text: string): readonly PreparedClaim[] {
  const whole = parsed(text)
  if (!isObject(whole) || typeof whole.Data !== 'string') throw new ClaimCheckpointError('it holds no Data')
  const own = crc32(whole.Data)
  if (whole.Checksum !== own) throw new ClaimCheckpointError(`its checksum is ${JSON.stringify(whole.Checksum)} and should be ${own}`)
  const data = parsed(whole.Data)
  const list = isObject(data) ? (data.ClaimInfoStateList ?? []) : undefined
  if (!Array.isArray(list) || !list.every(isClaim)) throw new ClaimCheckpointError('its Data is of another shape')
  return (list as unknown as readonly StoredClaim[]).map(restored)
}

const restored = (c: StoredClaim): PreparedClaim => ({
  uid: c.ClaimUID,
  name: c.ClaimName,
  namespace: c.Namespace,
  pods: new Set(Object.keys(c.PodUIDs ?? {})),
  drivers: new Map(Object.entries(c.DriverState ?? {}).map(([driver, { Devices }]) => [driver, (Devices ?? []).map(device)])),
  prepared: false,
})

const device = (d: StoredDevice): PreparedDevice => ({
  poolName: d.PoolName,
  deviceName: d.DeviceName,
  shareId: d.ShareID ?? '',
  requestNames: d.RequestNames ?? [],
  cdiDeviceIds: d.CDIDeviceIDs ?? [],
})

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ClaimCheckpointError(`it is no JSON: ${messageOf(error)}`)
  }
}

const isText = (value: Json | undefined) => typeof value === 'string'
const orNull = (is: (value: Json) => boolean) => (value: Json | undefined) => value === undefined || value === null || is(value)
const areTexts = orNull((value) => Array.isArray(value) && value.every(isText))

function isClaim(value: Json): boolean {
  if (!isObject(value)) return false
  const names = [value.ClaimUID, value.ClaimName, value.Namespace].every(isText)
  const drivers = orNull((all) => isObject(all) && Object.values(all).every(isDriver))
  return names && orNull(isObject)(value.PodUIDs) && drivers(value.DriverState)
}

const isDriver = (value: Json | undefined) =>
  isObject(value) && orNull((list) => Array.isArray(list) && list.every((d) => isDevice(d)))(value.Devices)

const isDevice = (value: Json) =>
  isObject(value) &&
  isText(value.PoolName) &&
  isText(value.DeviceName) &&
  orNull(isText)(value.ShareID) &&
  areTexts(value.RequestNames) &&
  areTexts(value.CDIDeviceIDs)
