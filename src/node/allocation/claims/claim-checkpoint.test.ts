import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ClaimCheckpointError, readClaims, writeClaims } from './claim-checkpoint.ts'
import type { PreparedClaim } from './prepared-claims.ts'

/** As written by kubelet 1.36.3. */
const KUBELETS = `{"Data":"{\\"kind\\":\\"DRACheckpoint\\",\\"apiVersion\\":\\"checkpoint.dra.kubelet.k8s.io/v1\\",\\"ClaimInfoStateList\\":[{\\"ClaimUID\\":\\"u\\",\\"ClaimName\\":\\"c\\",\\"Namespace\\":\\"ns\\",\\"PodUIDs\\":{\\"p\\":{}},\\"DriverState\\":{\\"d\\":{\\"Devices\\":[{\\"PoolName\\":\\"n\\",\\"DeviceName\\":\\"x\\",\\"ShareID\\":null,\\"RequestNames\\":[\\"r\\"],\\"CDIDeviceIDs\\":null}]}}}]}","Checksum":CRC}`

const text = fc.string({ maxLength: 12 })
const texts = fc.array(text, { maxLength: 3 })
const plain = { noNullPrototype: true } as const
const device = fc.record({ poolName: text, deviceName: text, shareId: text, requestNames: texts, cdiDeviceIds: texts }, plain)
const name = fc.stringMatching(/^[a-z][a-z.-]{0,9}$/)
const pods = fc.array(name).map((all) => new Set(all))
const drivers = fc.array(fc.tuple(name, fc.array(device, { maxLength: 3 }))).map((all) => new Map(all))
const claim: fc.Arbitrary<PreparedClaim> = fc.record(
  { uid: text, name: text, namespace: text, pods, drivers, prepared: fc.constant(false) },
  plain,
)

test('what is written is read again', () => {
  fc.assert(fc.property(fc.array(claim, { maxLength: 4 }), (claims) => assert.deepEqual(readClaims(writeClaims(claims)), claims)))
})

test('a file that was cut short or changed is not taken', () => {
  const written = writeClaims([
    { uid: 'u', name: 'c', namespace: 'ns', pods: new Set(['p']), drivers: new Map([['d', []]]), prepared: true },
  ])
  const change = fc.tuple(fc.nat(written.length - 1), fc.constantFrom('', 'x', '{'))
  fc.assert(
    fc.property(change, ([at, by]) => {
      const changed = written.slice(0, at) + by + written.slice(at + 1)
      if (changed !== written) assert.throws(() => readClaims(changed), ClaimCheckpointError)
    }),
  )
})

test('the kubelet would read it, and its own is read', () => {
  const device = { poolName: 'n', deviceName: 'x', shareId: '', requestNames: ['r'], cdiDeviceIds: [] }
  const claims = [{ uid: 'u', name: 'c', namespace: 'ns', pods: new Set(['p']), drivers: new Map([['d', [device]]]), prepared: false }]
  const own = writeClaims(claims)
  assert.equal(own, KUBELETS.replace('CRC', String(JSON.parse(own).Checksum)))
  assert.deepEqual(readClaims(own), claims)
})
