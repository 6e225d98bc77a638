import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OwnerReference } from '../../machinery/object.ts'
import type { StatefulSet } from '../../resources/types/apps.ts'
import type { PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { claimOwners, hasForeignController, isLeftOver } from './claim-retention.ts'
import { repairedPod } from './set-pod.ts'

const set = (whenDeleted: string, whenScaled: string): StatefulSet =>
  sketch({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 's', namespace: 'n', uid: 'set' },
    spec: {
      replicas: 1,
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
    },
  })
const pod = (ordinal: number): Pod => sketch({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `s-${ordinal}`, uid: `pod${ordinal}` } })
const claim = (...ownerReferences: OwnerReference[]): PersistentVolumeClaim =>
  sketch({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data-s-0', ownerReferences },
  })
const reference = (kind: string, name: string, uid: string, controller = true): OwnerReference => ({
  apiVersion: 'v1',
  kind,
  name,
  uid,
  controller,
})

test('the retention policy decides who owns a claim', () => {
  const mine = reference('StatefulSet', 's', 'set')
  for (const [deleted, scaled, ordinal, owners, expected] of [
    ['Retain', 'Retain', 0, [], undefined],
    ['Retain', 'Retain', 0, [mine], []],
    ['Delete', 'Retain', 0, [], ['set']],
    ['Delete', 'Retain', 1, [], ['set']],
    ['Delete', 'Retain', 0, [mine], undefined],
    ['Retain', 'Delete', 0, [], undefined],
    ['Retain', 'Delete', 1, [], ['pod1']],
    ['Delete', 'Delete', 0, [], ['set']],
    ['Delete', 'Delete', 1, [mine], ['pod1']],
    ['Delete', 'Delete', 0, [reference('Pod', 's-0', 'pod0')], ['set']],
    ['Delete', 'Delete', 0, [reference('StatefulSet', 's', 'another', false)], undefined],
    ['Delete', 'Delete', 0, [reference('Pod', 's-0', 'another')], undefined],
    ['Delete', 'Delete', 0, [reference('Database', 'd', 'foreign'), mine], ['foreign']],
    ['Retain', 'Retain', 0, [reference('Database', 'd', 'foreign'), mine], ['foreign']],
    ['Delete', 'Delete', 0, [reference('Database', 'd', 'foreign')], undefined],
    ['Delete', 'Delete', 0, [reference('Database', 'd', 'foreign', false)], ['foreign', 'set']],
  ] as const) {
    const found = claimOwners(set(deleted, scaled), pod(ordinal), claim(...owners))
    assert.deepEqual(
      found?.map((r) => r.uid),
      expected,
      `${deleted} ${scaled} ${ordinal} ${JSON.stringify(owners)}`,
    )
  }
})

test('who else controls a claim is found out where the policy is about it; a claim of a pod that is gone is not for the next one', () => {
  const [foreign, mine] = [reference('Database', 'd', 'foreign'), reference('StatefulSet', 's', 'set')]
  for (const [deleted, scaled, owner, conflicts, leftOver] of [
    ['Retain', 'Retain', foreign, false, false],
    ['Delete', 'Retain', foreign, true, false],
    ['Delete', 'Retain', { ...foreign, controller: false }, false, false],
    ['Delete', 'Delete', mine, false, false],
    ['Delete', 'Delete', reference('Pod', 's-0', 'pod0'), false, false],
    ['Delete', 'Delete', reference('Pod', 's-0', 'before'), true, true],
    ['Delete', 'Retain', reference('Pod', 's-0', 'before'), true, false],
    ['Delete', 'Delete', reference('Pod', 's-1', 'before', false), false, false],
  ] as const) {
    const [owning, held] = [set(deleted, scaled), claim(owner)]
    const found = [hasForeignController(owning, pod(0), held), isLeftOver(owning, pod(0), held)]
    assert.deepEqual(found, [conflicts, leftOver], `${deleted} ${scaled} ${JSON.stringify(owner)}`)
  }
})

test('what makes a pod the set’s is put back, and nothing else is touched', () => {
  const complete: Pod = sketch({
    ...pod(0),
    metadata: { name: 's-0', labels: { mine: '1', 'statefulset.kubernetes.io/pod-name': 's-0', 'apps.kubernetes.io/pod-index': '0' } },
    spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-s-0' } }, { name: 'other' }] },
  })
  const of = set('Retain', 'Retain')
  assert.equal(repairedPod(of, complete, 0), undefined)
  const bare = { ...complete, metadata: { name: 's-0', labels: { mine: '1' } } }
  assert.deepEqual(repairedPod(of, bare, 0), complete)
  const wrong = { ...complete, spec: { containers: [], volumes: [{ name: 'data', emptyDir: {} }, { name: 'other' }] } }
  const claimed = { name: 'data', persistentVolumeClaim: { claimName: 'data-s-0', readOnly: false } }
  assert.deepEqual(repairedPod(of, wrong, 0)?.spec?.volumes, [claimed, { name: 'other' }])
})
