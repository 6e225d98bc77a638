import type { RulesContext } from '../../machinery/resource/definition.ts'
import { forgetEmpty } from '../../machinery/schema/given-empty.ts'
import type * as resource from '../types/resource.ts'
import type { Unchecked } from '../unchecked.ts'

export type SliceSpec = Unchecked<resource.ResourceSliceSpec>
type SliceDevice = NonNullable<SliceSpec['devices']>[number]

/** The members of an attribute that are lists. */
export const ATTRIBUTE_LISTS = ['bools', 'ints', 'strings', 'versions'] as const

/** A field of devices behind a feature gate that is off by default. */
interface GatedDeviceField {
  readonly gate: string
  readonly isUsed: (device: SliceDevice) => boolean
  readonly drop: (device: SliceDevice) => void
}

export type Attribute = Unchecked<resource.DeviceAttribute>

const attributesOf = (device: SliceDevice) => Object.values(device.attributes ?? {})

function dropList(attribute: Attribute, list: (typeof ATTRIBUTE_LISTS)[number]): void {
  delete attribute[list]
  forgetEmpty(attribute, list)
}

const GATED: readonly GatedDeviceField[] = [
  {
    gate: 'DRAListTypeAttributes',
    isUsed: (device) => attributesOf(device).some((attribute) => ATTRIBUTE_LISTS.some((list) => attribute?.[list] !== undefined)),
    drop: (device) => {
      for (const attribute of attributesOf(device)) if (attribute !== null) for (const list of ATTRIBUTE_LISTS) dropList(attribute, list)
    },
  },
  {
    gate: 'DRANodeAllocatableResources',
    isUsed: (device) => device.nodeAllocatableResourceMappings !== undefined,
    drop: (device) => delete device.nodeAllocatableResourceMappings,
  },
]

/** Removes the fields of devices whose feature gates are off, unless the old object uses them already. */
export function dropGatedDeviceFields(spec: SliceSpec | undefined, old: SliceSpec | undefined, { gates }: RulesContext): void {
  for (const { gate, isUsed, drop } of GATED) {
    if (gates?.has(gate) === true || old?.devices?.some(isUsed) === true) continue
    for (const device of spec?.devices ?? []) drop(device)
  }
}
