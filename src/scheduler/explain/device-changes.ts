import type { Device, ResourceClaim, ResourceSlice } from '../../resources/types/resource.ts'
import type { Change } from './change.ts'
import type { Scratch } from './scratch.ts'

/** Kinds of devices that are tried on a node. */
const MAX_KINDS = 16

/** One more device like one that there is. */
export function addDevice(scratch: Scratch, row: number): readonly Change[] {
  const node = scratch.table.names[row] ?? ''
  const classes = [...new Set(claimsOf(scratch).flatMap(classesOf))]
  const word = classes.length === 1 ? `of class ${classes[0]} ` : ''
  return kindsOfDevices(scratch).map(({ driver, device }, i) => ({
    kind: 'AddDevice',
    node,
    cost: i,
    message: `one more device ${word}on node ${node}, such as ${device.name} of ${driver}`,
    make: (trial) => trial.show('resourceslices', [sliceWith(node, driver, device)]),
  }))
}

function claimsOf({ pod, context }: Scratch): readonly Readonly<ResourceClaim>[] {
  return (pod.pod.spec.resourceClaims ?? []).flatMap((entry) => {
    const made = pod.pod.status?.resourceClaimStatuses?.find((s) => s.name === entry.name)
    const name = entry.resourceClaimName ?? made?.resourceClaimName
    const claim = name === undefined ? undefined : context.listers.get('resourceclaims', pod.namespace, name)
    return claim === undefined ? [] : [claim]
  })
}

const classesOf = (claim: Readonly<ResourceClaim>) =>
  (claim.spec?.devices?.requests ?? []).flatMap((r) => [r.exactly, ...(r.firstAvailable ?? [])].flatMap((e) => e?.deviceClassName ?? []))

interface DeviceKind {
  readonly driver: string
  readonly device: Device
}

/** The kinds of devices in all slices: one device of those with equal attributes. */
function kindsOfDevices({ context }: Scratch): readonly DeviceKind[] {
  const kinds = new Map<string, DeviceKind>()
  for (const slice of context.listers.list('resourceslices', '')) {
    for (const device of slice.spec.devices ?? []) {
      const key = JSON.stringify([slice.spec.driver, device.attributes, device.capacity], (_, v: unknown) =>
        typeof v === 'bigint' ? String(v) : v,
      )
      if (!kinds.has(key)) kinds.set(key, { driver: slice.spec.driver, device })
      if (kinds.size >= MAX_KINDS) return [...kinds.values()]
    }
  }
  return [...kinds.values()]
}

/** A separate pool: a new device changes nothing about the existing ones. */
function sliceWith(nodeName: string, driver: string, device: Device): ResourceSlice {
  const { nodeName: _, nodeSelector: __, allNodes: ___, taints: ____, consumesCounters: _____, ...plain } = device
  const name = `on-trial-${nodeName}`
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name },
    spec: { driver, pool: { name, generation: 1, resourceSliceCount: 1 }, nodeName, devices: [plain] },
  }
}
