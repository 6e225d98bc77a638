/** What programs write in containers, as the node that they run on sees it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../src/base/clock.ts'
import { seededRandom } from '../src/base/random.ts'
import type { ImagePrograms } from '../src/node/programs/program.ts'
import { PODS } from '../src/sdk/client/refs.ts'
import { pod } from '../src/testing/builders.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import { waitFor } from '../src/testing/wait-for.ts'

const pods = { ...PODS, namespace: 'default' }
const MOUNT = { name: 'v', mountPath: '/v' }

async function lived(images: ImagePrograms, spec: object) {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ images }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  await waitFor(() => client.create(pods, pod('p', { spec })), { clock })
  const ended = async () => {
    const found = await client.get({ ...pods, name: 'p' })
    return (found.status?.phase === 'Succeeded' || found.status?.phase === 'Failed') && found
  }
  return waitFor(ended, { clock })
}

test('who writes more into a volume than fits is evicted', async () => {
  const images: ImagePrograms = {
    'example/writer': async (container) => {
      await container.files.writeFile('/v/big', 'x'.repeat(3_000_000))
      await new Promise(() => {})
    },
  }
  const containers = [{ name: 'main', image: 'example/writer', volumeMounts: [MOUNT] }]
  const { status } = await lived(images, { containers, volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] })
  assert.equal(status.reason, 'Evicted')
  assert.equal(status.message, 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ')
})

test('a variable is read from the file that an init container has written', async () => {
  let seen: string | undefined
  const images: ImagePrograms = {
    'example/init': (container) => container.files.writeFile('/v/env', "COLOR='red'\n"),
    'example/main': (container) => {
      seen = container.environment.COLOR
    },
  }
  const env = [{ name: 'COLOR', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'env', key: 'COLOR' } } }]
  await lived(images, {
    restartPolicy: 'Never',
    initContainers: [{ name: 'init', image: 'example/init', volumeMounts: [MOUNT] }],
    containers: [{ name: 'main', image: 'example/main', env }],
    volumes: [{ name: 'v', emptyDir: {} }],
  })
  assert.equal(seen, 'red')
})
