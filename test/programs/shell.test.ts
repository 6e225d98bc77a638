/** Scripts of manifests in containers of simulated nodes: without a description of their behaviour, the shell runs them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { configMap, pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { podsOf } from './pods.ts'

const pods = { ...PODS, namespace: 'default' }
const MAPS = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }

async function open() {
  const clock = new VirtualClock()
  const cluster = await startCluster({}, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const exec = async (name: string, command: readonly string[]) => {
    const run = await client.exec({ namespace: 'default', name }, command)
    let out = ''
    for await (const chunk of run.stdout) out += Buffer.from(chunk).toString()
    return { out, ...(await run.exit) }
  }
  return { clock, client, ...podsOf(client, clock), exec, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const script = (text: string, more: object = {}, spec: object = {}) => ({
  spec: {
    restartPolicy: 'Never',
    ...spec,
    containers: [{ name: 'main', image: 'example/foreign:1', command: ['sh', '-c', text], ...more }],
  },
})
const terminated = (p: Pod) => p.status?.containerStatuses?.[0]?.state?.terminated
const over = (p: Pod) => ['Succeeded', 'Failed'].includes(p.status?.phase ?? '')
const running = (p: Pod) => p.status?.phase === 'Running'

test('a script prints, reads its environment and ends with its own code', async () => {
  await using it = await open()
  const env = [{ name: 'COLOR', value: 'red' }]
  await it.create(pod('job', script('for i in 1 2; do echo "$i $COLOR $(hostname)"; done; exit 4', { env })))
  assert.equal(terminated(await it.until('job', over))?.exitCode, 4)
  assert.equal(await it.logs('job'), '1 red job\n2 red job\n')
})

test('a script of a config map runs, with what an init container left in a shared folder', async () => {
  await using it = await open()
  await it.client.create(MAPS, configMap('scripts', { 'run.sh': '#!/bin/sh\ncat /work/made\necho "ran as $0"\n' }))
  const mounts = [
    { name: 'work', mountPath: '/work' },
    { name: 'scripts', mountPath: '/scripts' },
  ]
  await it.create(
    pod('both', {
      spec: {
        restartPolicy: 'Never',
        initContainers: [
          {
            name: 'make',
            image: 'example/foreign:1',
            command: ['sh', '-c', 'date -u +%Y >/dev/null && echo made > /work/made'],
            volumeMounts: mounts,
          },
        ],
        containers: [{ name: 'main', image: 'example/foreign:1', command: ['/scripts/run.sh'], volumeMounts: mounts }],
        volumes: [
          { name: 'work', emptyDir: {} },
          { name: 'scripts', configMap: { name: 'scripts', defaultMode: 0o755 } },
        ],
      },
    }),
  )
  await it.until('both', over)
  assert.equal(await it.logs('both', 'main'), 'made\nran as /scripts/run.sh\n')
})

test('a trap runs when the pod is deleted, within its grace', async () => {
  await using it = await open()
  await it.create(
    pod(
      'trap',
      script('trap "echo stopping; exit 7" TERM; echo up; while true; do sleep 1; done', {}, { terminationGracePeriodSeconds: 20 }),
    ),
  )
  await it.until('trap', running)
  const seen: number[] = []
  const stop = new AbortController()
  const watching = (async () => {
    for await (const events of it.client.watch(pods, { fieldSelector: 'metadata.name=trap', signal: stop.signal }))
      for (const event of events) {
        const code = event.type === 'BOOKMARK' ? undefined : terminated(event.object)?.exitCode
        if (code !== undefined) seen.push(code)
      }
  })().catch(() => {})
  await it.client.delete({ ...pods, name: 'trap' })
  await it.clock.advance(5_000)
  stop.abort()
  await watching
  assert.deepEqual([...new Set(seen)], [7])
})

test('a probe sees the files that the script makes and removes', async () => {
  await using it = await open()
  const readinessProbe = { exec: { command: ['cat', '/tmp/ready'] }, periodSeconds: 1 }
  await it.create(pod('ready', script('sleep 3; touch /tmp/ready; sleep 5; rm /tmp/ready; sleep 1000', { readinessProbe })))
  const ready = (p: Pod) => p.status?.containerStatuses?.[0]?.ready
  await it.until('ready', running)
  assert.equal(ready(await it.client.get({ ...pods, name: 'ready' })), false)
  await it.clock.advance(4_500)
  assert.equal(ready(await it.client.get({ ...pods, name: 'ready' })), true)
  await it.clock.advance(9_000)
  assert.equal(ready(await it.client.get({ ...pods, name: 'ready' })), false)
})

test('an unknown command of a foreign image runs on, and its probes succeed; exec reports that it is not found', async () => {
  await using it = await open()
  const livenessProbe = { exec: { command: ['sh', '-c', 'pg_isready -q'] }, periodSeconds: 1 }
  await it.create(pod('app', script('echo migrating && exec myapp --serve', { livenessProbe })))
  await it.until('app', running)
  await it.clock.advance(30_000)
  const { status } = await it.client.get({ ...pods, name: 'app' })
  assert.deepEqual([status?.phase, status?.containerStatuses?.[0]?.restartCount], ['Running', 0])
  assert.equal((await it.exec('app', ['sh', '-c', 'frobnicate'])).exitCode, 127)
})

test('commands that are run inside share files with the main process, and can end it', async () => {
  await using it = await open()
  await it.create(pod('web', script('while sleep 1; do [ -f /tmp/stop ] && exit 9; done')))
  await it.until('web', running)
  assert.deepEqual(await it.exec('web', ['sh', '-c', 'echo $((6*7)); ls /tmp | wc -l']), { out: '42\n0\n', exitCode: 0 })
  await it.exec('web', ['touch', '/tmp/stop'])
  assert.equal(terminated(await it.until('web', over))?.exitCode, 9)
  await it.create(pod('killed', script('while true; do sleep 1; done')))
  await it.until('killed', running)
  await it.exec('killed', ['sh', '-c', 'kill 1'])
  assert.equal(terminated(await it.until('killed', over))?.exitCode, 143)
})

test("an annotation takes precedence over a container's script", async () => {
  await using it = await open()
  const said = { metadata: { annotations: { 'simulated.bowsprit.dev/exit-code': '5' } } }
  await it.create(pod('said', { ...script('exec something'), ...said }))
  assert.equal(terminated(await it.until('said', over))?.exitCode, 5)
})

test('nc serves one connection after the other from a loop, and a port-forward reaches it', async () => {
  await using it = await open()
  await it.create(pod('web', script('while true; do echo "hello to $(hostname)" | nc -l -p 8080; done')))
  await it.until('web', running)
  for (const requested of ['first', 'second']) {
    const { out, exitCode } = await it.exec('web', ['sh', '-c', `echo ${requested} | nc -w 5 127.0.0.1 8080`])
    assert.deepEqual([out, exitCode], ['hello to web\n', 0])
  }
  assert.equal(await it.logs('web'), 'first\nsecond\n')
  const { exitCode } = await it.exec('web', ['nc', '-z', '-w', '1', '127.0.0.1', '8081'])
  assert.equal(exitCode, 1)
})
