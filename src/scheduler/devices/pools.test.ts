import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Device, ResourceSlice, ResourceSliceSpec } from '../../resources/types/resource.ts'
import { indexSlices, poolsFor } from './pools.ts'

const NODE = { name: 'n', labels: { zone: 'x' } }
let count = 0
type SliceParts = Partial<Omit<ResourceSliceSpec, 'pool'>> & { readonly pool?: Partial<ResourceSliceSpec['pool']> }
const slice = (spec: SliceParts = {}): ResourceSlice => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: `s${count++}` },
  spec: {
    driver: 'd',
    ...(spec.allNodes === true || spec.nodeSelector !== undefined || spec.perDeviceNodeSelection === true ? {} : { nodeName: 'n' }),
    devices: [{ name: 'x' }],
    ...spec,
    pool: { name: 'p', generation: 1, resourceSliceCount: 1, ...spec.pool },
  },
})
const inZone = (zone: string) => ({ nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values: [zone] }] }] })
const device = (name: string, more: Partial<Device> = {}): Device => ({ name, ...more })

/** `d/p: x y`, with `incomplete` and `invalid` where they are. */
const shown = (...slices: readonly ResourceSlice[]) =>
  poolsFor(NODE, indexSlices(slices)).map(
    ({ driver, name, devices, incomplete, invalid }) =>
      `${driver}/${name}:${incomplete ? ' incomplete' : ''}${invalid ? ' invalid' : ''}${devices.map((d) => ` ${d.device.name}`).join('')}`,
  )

for (const [rule, slices, expected] of [
  ['a slice of the node', [slice()], ['d/p: x']],
  ['a slice of another node is out of reach', [slice({ nodeName: 'other' })], []],
  ['a slice of all nodes', [slice({ allNodes: true })], ['d/p: x']],
  ['a slice whose selector matches', [slice({ nodeSelector: inZone('x') })], ['d/p: x']],
  ['a slice whose selector does not', [slice({ nodeSelector: inZone('y') })], []],
  [
    'devices that say each where they are',
    [slice({ perDeviceNodeSelection: true, devices: [device('here', { nodeName: 'n' }), device('there', { nodeName: 'm' })] })],
    ['d/p: here'],
  ],
  [
    'slices of one pool are joined',
    [slice({ pool: { resourceSliceCount: 2 } }), slice({ pool: { resourceSliceCount: 2 }, devices: [device('y')] })],
    ['d/p: x y'],
  ],
  ['a pool that lacks slices gives nothing', [slice({ pool: { resourceSliceCount: 2 } })], ['d/p: incomplete']],
  ['the newest generation counts', [slice({ devices: [device('old')] }), slice({ pool: { generation: 2 } })], ['d/p: x']],
  ['two devices of one name', [slice({ devices: [device('x'), device('x')] })], ['d/p: invalid']],
  [
    'a counter that nothing declares',
    [slice({ devices: [device('x', { consumesCounters: [{ counterSet: 'c', counters: { m: { value: '1' } } }] })] })],
    ['d/p: invalid'],
  ],
  [
    'pools are in the order of driver and name',
    [slice({ driver: 'e' }), slice({ pool: { name: 'q' } }), slice()],
    ['d/p: x', 'd/q: x', 'e/p: x'],
  ],
  [
    'those with binding conditions come last',
    [slice({ devices: [device('x', { bindingConditions: ['ready'] })] }), slice({ driver: 'e' })],
    ['e/p: x', 'd/p: x'],
  ],
] as readonly (readonly [string, readonly ResourceSlice[], readonly string[]])[])
  test(`pools: ${rule}`, () => {
    assert.deepEqual(shown(...slices), expected)
  })
