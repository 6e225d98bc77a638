/** Probes and hooks that never respond, programs that take all resources, clients that do not read: each affects only its own container. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { ImagePrograms } from '../../src/node/programs/program.ts'
import { CORE_EVENTS, PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { podsOf } from './pods.ts'

const pods = { ...PODS, namespace: 'default' }
const FOREVER = ['sh', '-c', 'sleep 86400']

async function open(images: ImagePrograms = {}) {
  const clock = new VirtualClock()
  const cluster = await startCluster({ images }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const it = podsOf(client, clock)
  /** A running pod with one container. */
  const start = async (name: string, container: object, more: object = {}) => {
    await it.create(pod(name, { spec: { ...more, containers: [{ name: 'main', image: 'busybox', command: FOREVER, ...container }] } }))
    return it.until(name, (p) => p.status?.phase === 'Running')
  }
  const statusOf = (found: Pod) => found.status?.containerStatuses?.[0]
  const now = async (name: string) => statusOf(await client.get({ ...pods, name }))
  const reported = async () => (await client.list({ ...CORE_EVENTS, namespace: 'default' })).items.map((e) => String(e.message))
  return { clock, client, ...it, start, now, reported, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

test('a hanging probe of any kind fails at its time limit; others run meanwhile', async () => {
  // It accepts connections, and sends nothing.
  await using it = await open({
    'example/mute': async (container) => {
      await container.listen(8080, { connection: () => {} })
    },
  })
  const often = { timeoutSeconds: 2, periodSeconds: 3, failureThreshold: 2 }
  const port = { port: 8080 }
  const mute = { image: 'example/mute', command: undefined }
  const grace = { terminationGracePeriodSeconds: 1 }
  await it.start('exec', { livenessProbe: { exec: { command: FOREVER }, ...often } }, grace)
  await it.start('http', { ...mute, livenessProbe: { httpGet: port, ...often } }, grace)
  await it.start('grpc', { ...mute, livenessProbe: { grpc: port, ...often } }, grace)
  await it.start('unready', { ...mute, readinessProbe: { httpGet: port, ...often } })
  await it.start('well', {
    livenessProbe: { exec: { command: ['true'] }, ...often },
    readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
  })
  await it.clock.advance(12_000)
  for (const name of ['exec', 'http', 'grpc']) assert.notEqual((await it.now(name))?.restartCount, 0, name)
  assert.deepEqual([(await it.now('unready'))?.ready, (await it.now('unready'))?.restartCount], [false, 0])
  assert.deepEqual([(await it.now('well'))?.ready, (await it.now('well'))?.restartCount], [true, 0])
  const reported = await it.reported()
  assert.ok(
    reported.some((text) => /^Liveness probe failed: .*(timed out|deadline exceeded|timeout)/i.test(text)),
    reported.join('\n'),
  )
  // Commands of timed-out probes are killed.
  const run = await it.client.exec({ namespace: 'default', name: 'exec' }, ['sh', '-c', 'ps | grep -c "[s]leep 86400"'])
  let out = ''
  for await (const chunk of run.stdout) out += Buffer.from(chunk).toString()
  assert.ok(Number(out) <= 3, `${out} sleep: the container's own, and that of the probe that runs now`)
})

test('a hook before the end that hangs has the grace period, and no more', async () => {
  await using it = await open()
  await it.start('slow', { lifecycle: { preStop: { exec: { command: FOREVER } } } }, { terminationGracePeriodSeconds: 20 })
  await it.client.delete({ ...pods, name: 'slow' })
  await it.clock.advance(15_000)
  assert.ok((await it.client.get({ ...pods, name: 'slow' })).metadata.deletionTimestamp, 'it has its grace')
  await it.clock.advance(10_000)
  await assert.rejects(it.client.get({ ...pods, name: 'slow' }), { code: 404 })
})

test('a hook after the start that takes long keeps its own container from running, and a deletion of its pod waits for it', async () => {
  await using it = await open()
  await it.create(
    pod('stuck', {
      spec: {
        terminationGracePeriodSeconds: 2,
        containers: [
          { name: 'main', image: 'busybox', command: FOREVER, lifecycle: { postStart: { exec: { command: ['sleep', '100'] } } } },
          { name: 'next', image: 'busybox', command: FOREVER },
        ],
      },
    }),
  )
  await it.start('other', {})
  await it.clock.advance(30_000)
  const { status } = await it.client.get({ ...pods, name: 'stuck' })
  assert.equal(status?.phase, 'Pending')
  assert.ok((status?.containerStatuses ?? []).every((c: { ready: boolean }) => !c.ready))
  await it.client.delete({ ...pods, name: 'stuck' })
  await it.clock.advance(60_000)
  assert.ok((await it.client.get({ ...pods, name: 'stuck' })).metadata.deletionTimestamp, 'the hook is not over')
  await it.clock.advance(20_000)
  await assert.rejects(it.client.get({ ...pods, name: 'stuck' }), { code: 404 })
})

test('a program that takes all resources reaches its own limits, and others are not affected', async () => {
  await using it = await open()
  const once = { restartPolicy: 'Never' }
  const greedy = {
    words: 'a=x; while true; do a=$a$a$a$a$a; done',
    many: 'i=0; a=$(printf %0100000d 0); while true; do i=$((i+1)); eval "b$i=$a"; done',
  }
  for (const [name, script] of Object.entries(greedy))
    await it.create(pod(name, { spec: { ...once, containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }] } }))
  await it.start('files', { command: ['sh', '-c', 'yes $(printf %08000d 0) > /tmp/all; echo over; sleep 86400'] })
  await it.start('modest', { command: ['sh', '-c', 'echo mine > /tmp/own; cat /tmp/own; sleep 86400'] })
  for (const name of Object.keys(greedy)) {
    assert.equal((await it.ended(name)).status?.phase, 'Failed', name)
    assert.match(await it.logs(name), /out of space/, name)
  }
  await it.clock.advance(20_000)
  assert.match(await it.logs('files'), /over\n$/)
  assert.equal(await it.logs('modest'), 'mine\n')
})

test('a client that does not read an endless command blocks only that command', async () => {
  await using it = await open()
  await it.start('box', {})
  const where = { namespace: 'default', name: 'box' }
  const unread = await Promise.all(Array.from({ length: 20 }, () => it.client.exec(where, ['yes', 'x'.repeat(100)])))
  const before = process.memoryUsage().arrayBuffers
  await it.clock.advance(5_000)
  const other = await it.client.exec(where, ['echo', 'here'])
  let out = ''
  for await (const chunk of other.stdout) out += Buffer.from(chunk).toString()
  assert.equal(out, 'here\n')
  assert.ok(process.memoryUsage().arrayBuffers - before < 64 * 1024 * 1024, 'what nobody reads is not kept')
  for (const run of unread) await run[Symbol.asyncDispose]()
})
