import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import { SparseMap } from '../../../base/collections/sparse-map.ts'
import type { Image } from '../../runtime/runtime.ts'
import { RuntimeError } from '../../runtime/runtime-error.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { BackOff } from '../plan/back-off.ts'
import { ensureImage, type ImageDeps } from './ensure-image.ts'

const IMAGE: Image = { id: 'sha256:1', name: 'app:1', sizeBytes: 7 }
const POD: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [] }, status: {} }

interface Registry {
  readonly present?: boolean
  /** The duration of a pull. */
  readonly takesMs?: number
  readonly fault?: RuntimeError
}

/** A node with this registry, and the events about its pod. */
function openNode({ present = false, takesMs = 0, fault }: Registry) {
  const clock = new VirtualClock()
  const events: string[] = []
  const pulls = { backOff: new BackOff(), errors: new SparseMap<string>(), delayed: async () => {} }
  const runtime: ImageDeps['runtime'] = {
    imageStatus: async () => (present ? IMAGE : undefined),
    async pullImage(_, signal) {
      await clock.sleep(takesMs, signal)
      if (fault !== undefined) throw fault
      return IMAGE
    },
  }
  const ensure = async (container: Partial<Container> = {}) => {
    const request = {
      pod: POD,
      container: { name: 'main', image: 'app:1', ...container },
      note: (type: string, reason: string, message: string) => void events.push(`${type} ${reason}: ${message}`),
    }
    const outcome = ensureImage({ runtime, clock, pulls }, request, new AbortController().signal)
    await clock.advance(takesMs)
    return outcome
  }
  return { clock, events, ensure }
}

for (const [takesMs, text] of [
  [0, '0s'],
  [26, '26ms'],
  [6008, '6.008s'],
  [65_000, '1m5s'],
  [3_600_000, '1h0m0s'],
] as const)
  test(`a pull of ${takesMs} ms is shown as ${text}`, async () => {
    const node = openNode({ takesMs })
    assert.equal((await node.ensure()).kind, 'image')
    const pulled = `Successfully pulled image "app:1" in ${text} (${text} including waiting). Image size: 7 bytes.`
    assert.deepEqual(node.events, ['Normal Pulling: Pulling image "app:1"', `Normal Pulled: ${pulled}`])
  })

for (const [policy, present, events] of [
  ['IfNotPresent', true, ['Pulled: Container image "app:1" already present on machine and can be accessed by the pod']],
  ['Never', true, ['Pulled: Container image "app:1" already present on machine and can be accessed by the pod']],
  [
    'Never',
    false,
    ['ErrImageNeverPull: Container image "app:1" is not present with pull policy of Never', 'Failed: Error: ErrImageNeverPull'],
  ],
] as const)
  test(`pull policy ${policy} pulls nothing where the image is ${present ? 'present' : 'absent'}`, async () => {
    const node = openNode({ present })
    await node.ensure({ imagePullPolicy: policy })
    assert.deepEqual(
      node.events.map((e) => e.replace(/^\w+ /, '')),
      events,
    )
  })

test('pull policy Always pulls an image that is present', async () => {
  const node = openNode({ present: true })
  await node.ensure({ imagePullPolicy: 'Always' })
  assert.equal(node.events[0], 'Normal Pulling: Pulling image "app:1"')
})

for (const [code, message, reason, reported] of [
  ['runtime', 'no such host', 'ErrImagePull', 'no such host'],
  [
    'registry-unavailable',
    'RegistryUnavailable: down',
    'RegistryUnavailable',
    'image pull failed for app:1 because the registry is unavailable: down',
  ],
  [
    'signature-invalid',
    'SignatureValidationFailed: bad',
    'SignatureValidationFailed',
    'image pull failed for app:1 because the signature validation failed: bad',
  ],
] as const)
  test(`a pull that fails with ${code} is ${reason}, and the next one has to wait`, async () => {
    const node = openNode({ fault: new RuntimeError(code, message) })
    assert.deepEqual(await node.ensure(), { kind: 'failed', reason, message: reported })
    const waiting = await node.ensure()
    assert.deepEqual(waiting, {
      kind: 'failed',
      reason: 'ImagePullBackOff',
      message: `Back-off pulling image "app:1": ${reason}: ${message}`,
    })
    assert.equal(node.events.at(-2), 'Normal BackOff: Back-off pulling image "app:1"')
  })
