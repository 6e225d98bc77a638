import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Pod } from '../../resources/types/core.ts'
import { NodeTable } from '../cache/node-table.ts'
import { podInfo } from '../cache/pod-info.ts'
import { listersOver } from '../framework/listers.double.ts'
import { dynamicResources } from './dynamic-resources.ts'

const POD = podInfo({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'team', uid: 'p' },
  spec: { containers: [], resourceClaims: [{ name: 'card', resourceClaimName: 'own' }] },
} as unknown as Pod)

const claim = (name: string, allocation?: object): KubeObject =>
  ({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name, namespace: 'team' },
    status: { ...(allocation && { allocation }) },
  }) as unknown as KubeObject

const CONTEXT = { listers: listersOver(() => []), table: new NodeTable() }
const plugin = dynamicResources({}, { random: seededRandom(1) })

for (const [what, object, gone, wakes] of [
  ['its own claim came', claim('own'), undefined, true],
  ['its own claim went', claim('own', {}), true, false],
  ['a claim of others gave devices back', claim('other', {}), true, true],
  ['a claim of others went without any', claim('other'), true, false],
] as const)
  test(`a pod that waits for devices is${wakes ? '' : ' not'} tried again when ${what}`, () => {
    const event = { kind: 'object-changed', object, ...(gone && { gone }) } as const
    assert.equal(plugin.hints?.['changed/resourceclaims']?.(POD, event, CONTEXT), wakes)
  })

test('a claim that does not exist is named with its namespace', () => {
  assert.equal(plugin.preEnqueue?.(POD, CONTEXT), 'could not find ResourceClaim "team/own"')
})
