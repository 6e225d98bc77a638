import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import { SparseMap } from '../../../base/collections/sparse-map.ts'
import type { EventRecorder } from '../../../sdk/controller/event-recorder.ts'
import type { Image } from '../../runtime/runtime.ts'
import { RuntimeError } from '../../runtime/runtime-error.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { BackOff } from '../plan/back-off.ts'
import { failedImages, volumeImages } from './volume-images.ts'

const container = (name: string, ...mounts: string[]): Container => ({
  name,
  image: 'app',
  volumeMounts: mounts.map((mount) => ({ name: mount, mountPath: `/${mount}` })),
})

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: {
    containers: [],
    volumes: [
      { name: 'good', image: { reference: 'data' } },
      { name: 'bad', image: { reference: 'missing' } },
      { name: 'files', emptyDir: {} },
    ],
  },
  status: {},
}

test('the images of all volumes are asked for once; containers that mount a missing one fail', async () => {
  const asked: string[] = []
  const events: string[] = []
  const recorder: Pick<EventRecorder, 'record'> = { record: ({ reason }) => void events.push(reason) }
  const runtime = {
    imageStatus: async () => undefined,
    async pullImage({ image }: { readonly image: string }): Promise<Image> {
      asked.push(image)
      if (image.startsWith('missing')) throw new RuntimeError('image-not-found', 'no such image')
      return { id: image, name: image, sizeBytes: 1 }
    },
  }
  const pulls = { backOff: new BackOff(), errors: new SparseMap<string>(), delayed: async () => {} }
  const deps = { runtime, pulls, clock: new VirtualClock(), events: recorder as EventRecorder }
  const images = await volumeImages(deps, pod, new AbortController().signal)
  assert.deepEqual(asked, ['data:latest', 'missing:latest'])
  assert.deepEqual(events, ['Pulling', 'Pulled', 'Pulling', 'Failed'])
  const reasons = (one: Container) => failedImages(images, one).map(({ reason }) => reason)
  assert.deepEqual([reasons(container('a', 'good', 'files')), reasons(container('b', 'good', 'bad'))], [[], ['ErrImagePull']])
})
