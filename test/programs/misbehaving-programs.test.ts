/** Programs that misbehave inside containers, and clients that disconnect at any time: the cluster keeps working, and nothing leaks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { LOG_LIMITS } from '../../src/node/runtime/container-log.ts'
import { PODS } from '../../src/resources/refs.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { podsOf } from './pods.ts'

const here = { namespace: 'default' }
const FOLLOWERS = 10_000

async function open() {
  const clock = new VirtualClock()
  const cluster = await startCluster({}, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const it = podsOf(client, clock)
  const start = async (name: string, script: string) => {
    await it.create(
      pod(name, {
        spec: { terminationGracePeriodSeconds: 5, containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }] },
      }),
    )
    return it.until(name, (p) => p.status?.phase === 'Running')
  }
  return { clock, client, ...it, start, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

test('thousands of followers of a log each get the line, and each can disconnect', async () => {
  await using it = await open()
  await it.start('teller', 'echo ready; while [ ! -f /tmp/go ]; do sleep 1; done; echo news; sleep 86400')
  const leaving = new AbortController()
  const heard: string[] = []
  const everybody = Array.from({ length: FOLLOWERS }, async () => {
    let text = ''
    for await (const chunk of await it.client.logs({ ...here, name: 'teller' }, { follow: true, signal: leaving.signal })) {
      text += Buffer.from(chunk).toString()
      if (text === 'ready\nnews\n') break
    }
    heard.push(text)
  })
  const run = await it.client.exec({ ...here, name: 'teller' }, ['touch', '/tmp/go'])
  assert.equal((await run.exit).exitCode, 0)
  await it.clock.advance(2_000)
  await Promise.all(everybody)
  leaving.abort()
  assert.equal(heard.length, FOLLOWERS)
  assert.ok(heard.every((text) => text === 'ready\nnews\n'))
})

test('a program that prints without end does not block others, and its log is bounded', async () => {
  await using it = await open()
  await it.start('loud', 'yes "a line that is printed again and again"')
  await it.start('quiet', 'echo heard; sleep 86400')
  await it.clock.advance(300)
  assert.equal(await it.logs('quiet'), 'heard\n')
  assert.ok((await it.logs('loud')).length <= LOG_LIMITS.maxBytes)
})

test('a program that ignores SIGTERM is killed when its grace period is over', async () => {
  await using it = await open()
  await it.start('stubborn', 'trap "" TERM; while true; do sleep 1; done')
  await it.client.delete({ ...PODS, ...here, name: 'stubborn' })
  await it.clock.advance(10_000)
  await assert.rejects(it.client.get({ ...PODS, ...here, name: 'stubborn' }), { code: 404 })
})

test('commands are killed when their clients disconnect', async () => {
  await using it = await open()
  await it.start('box', 'while true; do sleep 5; done')
  const count = async () => {
    const run = await it.client.exec({ ...here, name: 'box' }, ['sh', '-c', 'ps | grep -c "[c]at\\|[s]leep 7"'])
    let out = ''
    for await (const chunk of run.stdout) out += Buffer.from(chunk).toString()
    await run.exit
    return Number(out)
  }
  for (let i = 0; i < 20; i++) {
    const run = await it.client.exec({ ...here, name: 'box' }, i % 2 === 0 ? ['cat'] : ['sleep', '777'], { stdin: true })
    await run[Symbol.asyncDispose]()
  }
  await it.clock.advance(1_000)
  assert.equal(await count(), 0)
})
