import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepAllocated, syncClusterIps } from './service-fields.ts'

type Spec = Parameters<typeof keepAllocated>[0]
const OLD: Spec = { type: 'ClusterIP', clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] }

/** What an update writes, and what it becomes: the stored Service has one address. */
const UPDATES: readonly (readonly [what: string, spec: Spec, kept: Spec])[] = [
  ['no address', { type: 'ClusterIP' }, OLD],
  ['the same address alone', { type: 'ClusterIP', clusterIP: '10.0.0.1' }, OLD],
  ['another address', { type: 'ClusterIP', clusterIP: '10.0.0.2' }, { type: 'ClusterIP', clusterIP: '10.0.0.2' }],
  ['a list of its own', { ...OLD, clusterIPs: ['10.0.0.3'] }, { ...OLD, clusterIPs: ['10.0.0.3'] }],
  ['a type without addresses', { type: 'ExternalName' }, { type: 'ExternalName' }],
]
for (const [what, spec, kept] of UPDATES)
  test(`an update of a Service with ${what} keeps what was allocated where it may`, () => {
    const draft = structuredClone(spec)
    keepAllocated(draft, OLD)
    assert.deepEqual(draft, kept)
  })

test('a list with an empty address is one of its own, also where there was none', () => {
  const synced = (spec: Spec): Spec => {
    syncClusterIps(spec, { type: 'ExternalName' })
    return spec
  }
  const draft: Spec = { type: 'ClusterIP', clusterIP: 'None', clusterIPs: [''] }
  assert.deepEqual(synced({ ...draft }), draft)
  assert.deepEqual(synced({ type: 'ClusterIP', clusterIP: 'None' }).clusterIPs, ['None'])
})

test('all ports of the old name keep its node port, unless one asks for it', () => {
  const old: Spec = { type: 'NodePort', ports: [{ port: 1, nodePort: 30_001 }] }
  const ports = (...of: readonly number[]) => {
    const draft: Spec = { type: 'NodePort', ports: of.map((nodePort, i) => ({ port: i, nodePort })) }
    keepAllocated(draft, old)
    return draft.ports?.map((p) => p.nodePort)
  }
  assert.deepEqual(ports(0, 0), [30_001, 30_001])
  assert.deepEqual(ports(0, 30_001), [0, 30_001])
})
