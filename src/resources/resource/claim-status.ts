import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, forbidden, invalid, notSupported, required, tooLong, tooMany } from '../../machinery/field-error.ts'
import { interfaceAddress } from '../../machinery/ip-address.ts'
import { validateConditions } from '../../machinery/validation/conditions.ts'
import { uidFault } from '../../machinery/validation/uid.ts'
import { invalidEach } from '../checks.ts'
import { enumOf } from '../enumerations.ts'
import { fieldSchema, goForm } from '../go-form.ts'
import { validateNodeSelector } from '../pod/validation/validate-affinity.ts'
import { builtinSchema } from '../schema.ts'
import type * as resource from '../types/resource.ts'
import type { Unchecked } from '../unchecked.ts'
import { type ResourceClaim, requestNames, validateReference, validateReferences } from './claim-spec.ts'
import {
  limited,
  limitedSet,
  validateBindingConditions,
  validateConfiguration,
  validateDriver,
  validateLabel,
  validatePool,
  validateRaw,
} from './common.ts'

type Consumer = Unchecked<resource.ResourceClaimConsumerReference>
type Result = Unchecked<resource.DeviceRequestAllocationResult>
type Allocation = Unchecked<resource.AllocationResult>
type DeviceStatus = Unchecked<resource.AllocatedDeviceStatus>

const MAX = {
  consumers: 256,
  results: 32,
  config: 64,
  conditions: 8,
  dataBytes: 10 * 1024,
  interfaceBytes: 256,
  hardwareBytes: 128,
  ips: 16,
}
const schema = builtinSchema('resource.k8s.io', 'v1', 'ResourceClaim')

/** Validates the allocation, the consumers, and the device status from drivers. */
export function validateClaimStatus(claim: ResourceClaim, old: ResourceClaim): FieldError[] {
  const status = claim.status ?? {}
  const before = old.status ?? {}
  const { allocation } = status
  const consumers = status.reservedFor ?? []
  const at = (name: string) => child('status', name)
  const faults = limitedSet(consumers, MAX.consumers, at('reservedFor'), { key: (c) => c.uid ?? '', check: validateConsumer })
  const allocated = new Set((allocation?.devices?.results ?? []).map(deviceId))
  faults.push(
    ...limitedSet(status.devices, Number.POSITIVE_INFINITY, at('devices'), {
      key: deviceId,
      shown: goId,
      check: (device, path) => validateDevice(device, allocated, path),
    }),
  )
  if (consumers.length > 0 && !allocation) faults.push(forbidden(at('reservedFor'), 'may not be specified when `allocated` is not set'))
  else if (consumers.length > 0 && claim.metadata.deletionTimestamp && hasNew(consumers, before.reservedFor ?? []))
    faults.push(forbidden(at('reservedFor'), 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set'))
  if (!allocation) return faults
  if (before.allocation === undefined) return [...faults, ...validateAllocation(allocation, claim, at('allocation'))]
  if (semanticEqual(allocation, before.allocation)) return faults
  return [...faults, invalid(at('allocation'), goForm(allocation, fieldSchema(schema(), 'status', 'allocation')), 'field is immutable')]
}

const hasNew = (now: readonly Consumer[], before: readonly Consumer[]) => now.some((c) => !before.some((b) => semanticEqual(b, c)))
const deviceId = (r: Result) => `${r.driver ?? ''}/${r.pool ?? ''}/${r.device ?? ''}${r.shareID ? `/${r.shareID}` : ''}`

/** A device id as Go prints it. */
const goId = ({ driver = '', pool = '', device = '', shareID = '' }: Result) => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
})

function validateConsumer(consumer: Consumer, path: string): FieldError[] {
  return (['resource', 'name', 'uid'] as const).flatMap((field) => (consumer[field] ? [] : [required(child(path, field))]))
}

function validateIdentity(result: Result, path: string): FieldError[] {
  const faults = [
    ...validateDriver(result.driver ?? '', child(path, 'driver')),
    ...validatePool(result.pool ?? '', child(path, 'pool')),
    ...validateLabel(result.device ?? '', child(path, 'device')),
  ]
  const fault = result.shareID === undefined ? undefined : uidFault(result.shareID)
  if (fault !== undefined) faults.push(invalid(child(path, 'shareID'), result.shareID, fault))
  return faults
}

function validateAllocation(allocation: Allocation, claim: ResourceClaim, path: string): FieldError[] {
  const names = requestNames(claim.spec ?? {})
  const devices = child(path, 'devices')
  const faults = [
    ...limited(allocation.devices?.results, MAX.results, child(devices, 'results'), (result, at) => [
      ...validateReference(result.request ?? '', names, child(at, 'request')),
      ...validateIdentity(result, at),
      ...validateBindingConditions(result.bindingConditions, result.bindingFailureConditions, at),
    ]),
    ...limited(allocation.devices?.config, MAX.config, child(devices, 'config'), (config, at) => [
      ...validateSource(config.source ?? '', child(at, 'source')),
      ...validateReferences(config.requests, names, child(at, 'requests')),
      ...validateConfiguration(config, at),
    ]),
  ]
  if (allocation.nodeSelector) faults.push(...validateNodeSelector(allocation.nodeSelector, child(path, 'nodeSelector')))
  return faults
}

function validateSource(source: string, path: string): FieldError[] {
  if (source === '') return [required(path)]
  return source === 'FromClaim' || source === 'FromClass' ? [] : [notSupported(path, source, enumOf('resource_v1.AllocationConfigSource'))]
}

function validateDevice(device: DeviceStatus, allocated: ReadonlySet<string>, path: string): FieldError[] {
  const faults = validateIdentity(device, path)
  if (!allocated.has(deviceId(device))) faults.push(invalid(path, goId(device), 'must be an allocated device in the claim'))
  const conditions = device.conditions ?? []
  const at = child(path, 'conditions')
  if (conditions.length > MAX.conditions) faults.push(tooMany(at, conditions.length, MAX.conditions))
  faults.push(...validateConditions(conditions, at))
  if (device.data !== undefined && device.data !== null) faults.push(...validateRaw(device.data, child(path, 'data'), MAX.dataBytes))
  return [...faults, ...validateNetwork(device.networkData, child(path, 'networkData'))]
}

function validateNetwork(data: DeviceStatus['networkData'], path: string): FieldError[] {
  if (!data) return []
  const faults: FieldError[] = []
  if (Buffer.byteLength(data.interfaceName ?? '') > MAX.interfaceBytes)
    faults.push(tooLong(child(path, 'interfaceName'), MAX.interfaceBytes))
  if (Buffer.byteLength(data.hardwareAddress ?? '') > MAX.hardwareBytes)
    faults.push(tooLong(child(path, 'hardwareAddress'), MAX.hardwareBytes))
  return [
    ...faults,
    ...limitedSet(data.ips, MAX.ips, child(path, 'ips'), {
      key: (ip) => ip,
      check: (ip, at) => invalidEach(at, ip, interfaceAddress(ip)),
    }),
  ]
}
