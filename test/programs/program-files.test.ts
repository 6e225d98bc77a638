/** Files that programs write in containers, and their effect on the node. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { ImagePrograms } from '../../src/node/programs/program.ts'
import { PODS } from '../../src/resources/refs.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { podsOf } from './pods.ts'

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

test('a pod that writes more into a volume than fits is evicted', async () => {
  const images: ImagePrograms = {
    'example/writer': async (container) => {
      await container.files.writeFile('/v/big', 'x'.repeat(3_000_000))
      await new Promise(() => {})
    },
  }
  const containers = [{ name: 'main', image: 'example/writer', volumeMounts: [MOUNT] }]
  const { status } = await lived(images, { containers, volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] })
  assert.equal(status?.reason, 'Evicted')
  assert.equal(status?.message, 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ')
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

test('labels reach a volume as soon as they change, not with the next look', async () => {
  const images: ImagePrograms = {
    'example/reader': async ({ files, clock, log }) => {
      const read = () => files.readFile('/v/labels', 'utf8')
      const before = await read()
      for (let i = 0; i < 20 && (await read()) === before; i++) await clock.sleep(1000)
      log(await read())
    },
  }
  const clock = new VirtualClock()
  await using cluster = await startCluster({ images }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const { create, until, ended, logs } = podsOf(client, clock)
  const items = [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }]
  const containers = [{ name: 'main', image: 'example/reader', volumeMounts: [MOUNT] }]
  const spec = { restartPolicy: 'Never', containers, volumes: [{ name: 'v', downwardAPI: { items } }] }
  await create(pod('p', { metadata: { labels: { color: 'red' } }, spec }))
  await until('p', (p) => p.status?.phase === 'Running')
  await client.patch({ ...pods, name: 'p' }, 'merge', { metadata: { labels: { color: 'blue' } } })
  await ended('p')
  assert.match(await logs('p'), /^color="blue"/)
})

test('a missing key of a config map is a read-only empty directory for subPath', async () => {
  let seen: unknown
  const images: ImagePrograms = {
    'example/reader': async ({ files }) => {
      const refused = await files
        .writeFile('/nope/x', '')
        .catch((error: unknown) => error instanceof Error && 'code' in error && error.code)
      seen = [await files.readFile('/there', 'utf8'), await files.readdir('/nope'), refused]
    },
  }
  const mounts = ['there', 'nope'].map((key) => ({ name: 'v', mountPath: `/${key}`, subPath: key }))
  const volumes = [{ name: 'v', downwardAPI: { items: [{ path: 'there', fieldRef: { fieldPath: 'metadata.name' } }] } }]
  await lived(images, { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example/reader', volumeMounts: mounts }], volumes })
  assert.deepEqual(seen, ['p', [], 'EROFS'])
})

test('the files of an image are a read-only volume', async () => {
  let seen: unknown
  const images: ImagePrograms = {
    'example/data': { run: () => 0, files: { '/etc/rules/one.yaml': 'rule: 1\n' } },
    'example/reader': async ({ files }) => {
      const refused = await files.writeFile('/v/x', '').catch((error: unknown) => error instanceof Error && 'code' in error && error.code)
      seen = [await files.readFile('/v/etc/rules/one.yaml', 'utf8'), await files.readdir('/part'), refused]
    },
  }
  const mounts = [MOUNT, { name: 'v', mountPath: '/part', subPath: 'etc/rules' }]
  const containers = [{ name: 'main', image: 'example/reader', volumeMounts: mounts }]
  const volumes = [{ name: 'v', image: { reference: 'example/data:1', pullPolicy: 'IfNotPresent' } }]
  await lived(images, { restartPolicy: 'Never', containers, volumes })
  assert.deepEqual(seen, ['rule: 1\n', ['one.yaml'], 'EROFS'])
})

test("a file of the node is mounted as a file, and FileOrCreate makes one that the node's pods share", async () => {
  let seen: unknown
  const images: ImagePrograms = {
    'example/writer': ({ files }) => files.writeFile('/shared', 'kept\n'),
    'example/reader': async ({ files }) => {
      seen = [
        (await files.stat('/hosts')).kind,
        /localhost/.test(await files.readFile('/hosts', 'utf8')),
        await files.readFile('/other', 'utf8'),
      ]
    },
  }
  await lived(images, {
    restartPolicy: 'Never',
    initContainers: [{ name: 'init', image: 'example/writer', volumeMounts: [{ name: 'w', mountPath: '/shared' }] }],
    containers: [
      {
        name: 'main',
        image: 'example/reader',
        volumeMounts: [
          { name: 'v', mountPath: '/hosts' },
          { name: 'w', mountPath: '/other' },
        ],
      },
    ],
    volumes: [
      { name: 'v', hostPath: { path: '/etc/hosts' } },
      { name: 'w', hostPath: { path: '/run/state', type: 'FileOrCreate' } },
    ],
  })
  assert.deepEqual(seen, ['file', true, 'kept\n'])
})

test('a container finds its limits where the kernel shows them, also after it was resized', async () => {
  const images: ImagePrograms = {
    'example/reader': async ({ files, clock, log }) => {
      const read = async (name: string) => (await files.readFile(`/sys/fs/cgroup/${name}`, 'utf8')).trim()
      const all = async () => log(await read('cpu.max'), await read('cpu.weight'), await read('memory.max'))
      const before = await read('cpu.max')
      await all()
      for (let i = 0; i < 60 && (await read('cpu.max')) === before; i++) await clock.sleep(1000)
      await all()
      log((await files.readFile('/proc/1/oom_score_adj', 'utf8')).trim())
    },
  }
  const clock = new VirtualClock()
  await using cluster = await startCluster({ images }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const { create, until, ended, logs } = podsOf(client, clock)
  const amounts = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } })
  const main = { name: 'main', image: 'example/reader', resources: amounts('500m', '64Mi') }
  await create(pod('p', { spec: { restartPolicy: 'Never', containers: [main] } }))
  await until('p', (p) => p.status?.phase === 'Running')
  await client.patch({ ...pods, name: 'p', subresource: 'resize' }, 'strategic', {
    spec: { containers: [{ name: 'main', resources: amounts('1', '128Mi') }] },
  })
  await ended('p')
  assert.equal(await logs('p'), '50000 100000 20 67108864\n100000 100000 39 134217728\n-997\n')
})
