import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Pod, PodSpec } from '../../pod/types.ts'
import { validateWholePod } from './pod-rules.ts'

const container = { name: 'main', image: 'a', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' }
const plain = { containers: [container], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' }
const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }

/** Specs as several pods may share them: what is right with one may be wrong with another, or on another server. */
const SPECS: readonly (() => object)[] = [
  () => plain,
  () => ({ ...plain, volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: claim } }] }),
  () => ({ ...plain, containers: [{ ...container, securityContext: { privileged: true } }] }),
  () => ({ ...plain, volumes: null }),
  () => ({ ...plain, restartPolicy: 'Sometimes' }),
]

test('the cached result for a shared spec equals that of a fresh validation', () => {
  const pods = fc.record({
    spec: fc.nat(SPECS.length - 1),
    name: fc.constantFrom('web', 'db', `${'a'.repeat(60)}.${'b'.repeat(60)}`, 'c'.repeat(250)),
    allowPrivileged: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(pods, { maxLength: 12 }), (requested) => {
      const shared: PodSpec[] = SPECS.map((make) => JSON.parse(JSON.stringify(make())))
      for (const { spec, name, allowPrivileged } of requested) {
        const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: shared[spec] ?? {} }
        const anew = validateWholePod({ ...pod, spec: structuredClone(pod.spec ?? {}) }, { allowPrivileged })
        assert.deepEqual(validateWholePod(pod, { allowPrivileged }), anew)
      }
    }),
  )
})

test('a claim whose name would be too long is refused for the second pod of a template too', () => {
  const spec = SPECS[1]?.() ?? {}
  const faults = (name: string) =>
    validateWholePod({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }, { allowPrivileged: false }).map(({ field }) => field)
  assert.deepEqual(faults('web'), [])
  assert.notDeepEqual(faults('c'.repeat(250)), [])
})
