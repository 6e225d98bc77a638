import { timestamp } from '../../base/clock.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import {
  child,
  type FieldError,
  forbidden,
  goQuote,
  index,
  invalid,
  key,
  MAX_FAULTS,
  required,
  tooLong,
  tooMany,
} from '../../machinery/field-error.ts'
import { dns1123Label, dns1123Subdomain } from '../../machinery/names.ts'
import { nextGeneration } from '../../machinery/object.ts'
import { givenEmpty } from '../../machinery/schema/given-empty.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateImmutable, validateImmutableNamed } from '../../machinery/validation/object-meta.ts'
import { invalidEach } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { fieldSchema, goForm } from '../go-form.ts'
import { validateNodeSelector } from '../pod/validation/validate-affinity.ts'
import { builtinSchema } from '../schema.ts'
import type * as resource from '../types/resource.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import {
  GROUP,
  limited,
  limitedSet,
  validateAttributeName,
  validateBindingConditions,
  validateDriver,
  validateLabel,
  validatePool,
  validateTaint,
} from './common.ts'
import { ATTRIBUTE_LISTS, type Attribute, dropGatedDeviceFields, type SliceSpec } from './gated-device-fields.ts'
import { validateRequestPolicy } from './request-policy.ts'

type ResourceSlice = UncheckedObject<resource.ResourceSlice>
type Capacity = Unchecked<resource.DeviceCapacity>
type Device = Unchecked<resource.Device>

const MAX = { devices: 128, advanced: 64, entries: 32, values: 48, valueBytes: 64, taints: 16, sets: 8, counters: 32, consumptions: 2 }
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/
const schema = builtinSchema(GROUP, 'v1', 'ResourceSlice')

export const resourceSlices = define<ResourceSlice>({
  group: GROUP,
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  singular: 'resourceslice',
  scope: 'Cluster',
  metadataChecks: 'as-update',
  columns: [
    NAME,
    { name: 'Node', describes: 'spec.nodeName', cell: (o) => o.spec?.nodeName ?? '' },
    { name: 'Driver', describes: 'spec.driver', cell: (o) => o.spec?.driver ?? '' },
    { name: 'Pool', describes: 'spec.pool.name', cell: (o) => o.spec?.pool?.name ?? '' },
    AGE,
  ],
  selectableFields: { 'spec.nodeName': (o) => o.spec?.nodeName ?? '', 'spec.driver': (o) => o.spec?.driver ?? '' },
  rules: {
    generation: 'spec',
    returnsDeleted: true,
    prepareForCreate: (draft, context) => {
      fillTimes(draft, context.now)
      dropGatedDeviceFields(draft.spec, undefined, context)
    },
    prepareForUpdate: (draft, old, context) => {
      fillTimes(draft, context.now)
      // A change of a field that is then dropped counts, too.
      if (!semanticEqual(draft.spec, old.spec)) draft.metadata.generation = nextGeneration(old.metadata)
      dropGatedDeviceFields(draft.spec, old.spec, context)
    },
    validateCreate: (object) => validate(object.spec ?? {}, undefined),
    warnings: ({ spec }) =>
      /[A-Z]/.test(spec?.driver ?? '')
        ? [`spec.driver: driver names should be lowercase; ${goQuote(spec?.driver ?? '')} contains uppercase characters`]
        : [],
    validateUpdate: (object, old) => [...validate(object.spec ?? {}, old.spec ?? {}), ...validateChange(object, old)],
  },
})

function fillTimes({ spec }: ResourceSlice, now: number): void {
  for (const device of spec?.devices ?? []) for (const taint of device.taints ?? []) taint.timeAdded ??= timestamp(now)
}

function validateChange(object: ResourceSlice, old: ResourceSlice): FieldError[] {
  const name = (o: ResourceSlice) => o.spec?.pool?.name ?? ''
  return [
    ...validateImmutable(name(object), name(old), child('spec', 'pool', 'name')),
    ...validateImmutable(object.spec?.driver ?? '', old.spec?.driver ?? '', child('spec', 'driver')),
    ...validateImmutableNamed(object.spec?.nodeName ?? null, old.spec?.nodeName ?? null, child('spec', 'nodeName')),
  ]
}

/** An empty list is given too. */
const isGiven = (spec: SliceSpec, field: 'sharedCounters' | 'devices') => spec[field] !== undefined || givenEmpty(spec, field) !== undefined

function validate(spec: SliceSpec, old: SliceSpec | undefined): FieldError[] {
  const faults = [...validateDriver(spec.driver ?? '', child('spec', 'driver')), ...validatePoolOf(spec), ...validateNodes(spec)]
  const devices = spec.devices ?? []
  if (isGiven(spec, 'sharedCounters') && isGiven(spec, 'devices'))
    faults.push(invalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed'))
  const advanced = devices.some((d) => d.taints?.length || d.consumesCounters?.length || Object.values(d.attributes ?? {}).some(hasList))
  const before = new Map((old?.devices ?? []).map((d) => [d.name ?? '', d]))
  faults.push(
    ...limitedSet(devices, advanced ? MAX.advanced : MAX.devices, child('spec', 'devices'), {
      key: (d) => d.name ?? '',
      check: (d, path) => validateDevice(d, before.get(d.name ?? ''), path, spec.perDeviceNodeSelection === true),
    }),
    ...limitedSet(spec.sharedCounters, MAX.sets, child('spec', 'sharedCounters'), {
      key: (c) => c.name ?? '',
      check: (c, path) => validateCounters(c.name, 'name', c.counters, path),
    }),
  )
  return faults
}

function validatePoolOf(spec: SliceSpec): FieldError[] {
  const path = child('spec', 'pool')
  const faults = validatePool(spec.pool?.name ?? '', child(path, 'name'))
  const count = spec.pool?.resourceSliceCount ?? 0
  const generation = spec.pool?.generation ?? 0
  if (count <= 0) faults.push(invalid(child(path, 'resourceSliceCount'), count, 'must be greater than zero'))
  if (generation < 0) faults.push(invalid(child(path, 'generation'), generation, 'must be greater than or equal to zero'))
  return faults
}

const validateNode = (name: string, path: string) => invalidEach(path, name, dns1123Subdomain(name))

function validateNodes(spec: SliceSpec): FieldError[] {
  const faults: FieldError[] = []
  const set: string[] = []
  const at = (name: string) => child('spec', name)
  if (spec.nodeName === '') faults.push(invalid(at('nodeName'), '', 'must be either unset or set to a non-empty string'))
  else if (spec.nodeName != null) {
    set.push('`nodeName`')
    faults.push(...validateNode(spec.nodeName, at('nodeName')))
  }
  if (spec.nodeSelector) {
    set.push('`nodeSelector`')
    faults.push(...validateNodeSelector(spec.nodeSelector, at('nodeSelector')))
    if (spec.nodeSelector.nodeSelectorTerms?.length !== 1) {
      const shown = goForm(spec.nodeSelector.nodeSelectorTerms, fieldSchema(schema(), 'spec', 'nodeSelector', 'nodeSelectorTerms'))
      faults.push(invalid(child(at('nodeSelector'), 'nodeSelectorTerms'), shown, 'must have exactly one node selector term'))
    }
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection'] as const) {
    if (spec[name] === true) set.push(`\`${name}\``)
    else if (spec[name] === false) faults.push(invalid(at(name), false, 'must be either unset or set to true'))
  }
  const why = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'
  if (set.length === 0) faults.push(required('spec', why))
  if (set.length > 1) faults.push(invalid('spec', `{${set.join(', ')}}`, `${why}, but multiple fields are set`))
  return faults
}

function validateDevice(device: Device, old: Device | undefined, path: string, perDevice: boolean): FieldError[] {
  const faults = validateLabel(device.name ?? '', child(path, 'name'))
  const attributes = Object.entries(device.attributes ?? {})
  const capacity = Object.entries(device.capacity ?? {})
  const entries = attributes.length + capacity.length
  if (entries > MAX.entries)
    faults.push(invalid(path, entries, `the total number of attributes and capacities must not exceed ${MAX.entries}`))
  const values = attributes.reduce((n, [, a]) => n + (listLength(a) || 1), 0)
  if (values > MAX.values) faults.push(invalid(path, values, `the total number of attribute values must not exceed ${MAX.values}`))
  // Of what is too many anyway, no more is looked at than may be reported.
  const most = entries > MAX.entries ? MAX_FAULTS : MAX.entries
  for (const [name, attribute] of attributes.slice(0, most))
    faults.push(
      ...validateAttributeName(name, child(path, 'attributes')),
      ...validateAttribute(attribute ?? {}, key(child(path, 'attributes'), shortened(name))),
    )
  if (!old || !semanticEqual(old.capacity, device.capacity))
    for (const [name, amount] of capacity.slice(0, most))
      faults.push(
        ...validateAttributeName(name, child(path, 'capacity')),
        ...validateCapacity(amount ?? {}, device, key(child(path, 'capacity'), shortened(name))),
      )
  if (!old || !semanticEqual(old.taints, device.taints))
    faults.push(...limited(device.taints, MAX.taints, child(path, 'taints'), validateTaint))
  faults.push(
    ...limitedSet(device.consumesCounters, MAX.consumptions, child(path, 'consumesCounters'), {
      key: (c) => c.counterSet ?? '',
      check: (c, at) => validateCounters(c.counterSet, 'counterSet', c.counters, at),
    }),
  )
  return [
    ...faults,
    ...validateDeviceNodes(device, path, perDevice),
    ...validateBindingConditions(device.bindingConditions, device.bindingFailureConditions, path),
  ]
}

/** Most characters of the name of an attribute: a domain, a slash and a C identifier. */
const MAX_NAME = 96
const ELLIPSIS = '...'

/** A name in a path: the middle of a longer one is left out. */
function shortened(name: string): string {
  if (name.length <= MAX_NAME) return name
  const kept = MAX_NAME - ELLIPSIS.length
  const tail = Math.floor(kept / 2)
  return name.slice(0, kept - tail) + ELLIPSIS + name.slice(-tail)
}

function validateCapacity(capacity: Capacity, device: Device, path: string): FieldError[] {
  if (!capacity.requestPolicy) return []
  const at = child(path, 'requestPolicy')
  if (device.allowMultipleAllocations !== true) return [forbidden(at, 'allowMultipleAllocations must be true')]
  return validateRequestPolicy(capacity.value ?? '0', capacity.requestPolicy, at)
}

function validateCounters(
  name: string | undefined,
  field: string,
  counters: Record<string, unknown> | undefined,
  path: string,
): FieldError[] {
  const faults = name ? validateLabel(name, child(path, field)) : [required(child(path, field))]
  const at = child(path, 'counters')
  const names = Object.keys(counters ?? {})
  if (names.length === 0) return [...faults, required(at)]
  if (names.length > MAX.counters) return [...faults, tooMany(at, names.length, MAX.counters)]
  return [...faults, ...faultsOfEach(names, (n) => invalidEach(at, n, dns1123Label(n)))]
}

const hasList = (a: Attribute | null) =>
  a?.ints !== undefined || a?.bools !== undefined || a?.strings !== undefined || a?.versions !== undefined
const listLength = (a: Attribute | null) =>
  (a?.ints?.length ?? 0) + (a?.bools?.length ?? 0) + (a?.strings?.length ?? 0) + (a?.versions?.length ?? 0)

function validateAttribute(attribute: Attribute, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (attribute.string !== undefined) faults.push(...validateText(attribute.string, child(path, 'string')))
  if (attribute.version !== undefined) faults.push(...validateVersion(attribute.version, child(path, 'version')))
  const empty = ATTRIBUTE_LISTS.filter((name) => givenEmpty(attribute, name) !== undefined)
  for (const name of empty) faults.push(invalid(child(path, name), [], 'must not be empty if specified'))
  faults.push(...faultsOfEach(attribute.strings, (text, i) => validateText(text, index(child(path, 'strings'), i))))
  faults.push(...faultsOfEach(attribute.versions, (text, i) => validateVersion(text, index(child(path, 'versions'), i))))
  const count = empty.length + Object.values(attribute).filter((v) => v !== undefined && v !== null).length
  if (count === 0) faults.push(invalid(path, '', 'exactly one value must be specified'))
  if (count > 1) {
    const shown = goAttribute(attribute)
    faults.push(invalid(path, shown, 'exactly one value must be specified'))
  }
  return faults
}

const goAttribute = (a: Attribute) => ({
  IntValue: a.int ?? null,
  BoolValue: a.bool ?? null,
  StringValue: a.string ?? null,
  VersionValue: a.version ?? null,
  IntValues: a.ints ?? givenEmpty(a, 'ints') ?? null,
  BoolValues: a.bools ?? givenEmpty(a, 'bools') ?? null,
  StringValues: a.strings ?? givenEmpty(a, 'strings') ?? null,
  VersionValues: a.versions ?? givenEmpty(a, 'versions') ?? null,
})

const validateText = (text: string, path: string): FieldError[] =>
  Buffer.byteLength(text) > MAX.valueBytes ? [tooLong(path, MAX.valueBytes)] : []

function validateVersion(text: string, path: string): FieldError[] {
  const faults = SEMVER.test(text) ? [] : [invalid(path, text, 'must be a string compatible with semver.org spec 2.0.0')]
  return [...faults, ...validateText(text, path)]
}

function validateDeviceNodes(device: Device, path: string, perDevice: boolean): FieldError[] {
  if (!perDevice) {
    if (device.nodeName === undefined && device.nodeSelector === undefined && device.allNodes === undefined) return []
    const why =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
    return [invalid(path, null, why)]
  }
  const faults: FieldError[] = []
  const set: string[] = []
  if (device.nodeName === '') faults.push(invalid(child(path, 'nodeName'), '', 'must not be empty'))
  else if (device.nodeName !== undefined) {
    set.push('`nodeName`')
    faults.push(...validateNode(device.nodeName, child(path, 'nodeName')))
  }
  if (device.nodeSelector) {
    set.push('`nodeSelector`')
    faults.push(...validateNodeSelector(device.nodeSelector, child(path, 'nodeSelector')))
  }
  if (device.allNodes === true) set.push('`allNodes`')
  else if (device.allNodes === false) faults.push(invalid(child(path, 'allNodes'), false, 'must be either unset or set to true'))
  const why =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
  if (set.length === 0) faults.push(required(path, why))
  if (set.length > 1) faults.push(invalid(path, `{${set.join(', ')}}`, why))
  return faults
}
