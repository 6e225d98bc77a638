import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import type { RuntimeEvent } from '../runtime.ts'
import type { Behaviour } from './behaviour.ts'
import { ContainerLife } from './container-life.ts'
import { containerOf, sandboxOf } from './simulated.double.ts'
import { SimulatedExec } from './simulated-exec.ts'
import { SimulatedPods } from './simulated-pods.ts'

const NEVER = new AbortController().signal

/** One container without a program, with this behaviour. */
function openContainer(
  behaviour: Behaviour,
  exec: Record<string, { readonly stdout?: string; readonly takesMs?: number; readonly exitCode?: number }> = {},
) {
  const clock = new VirtualClock()
  const pods = new SimulatedPods()
  const events: RuntimeEvent['kind'][] = []
  const script = {
    container: () => behaviour,
    image: () => ({ kind: 'missing' }) as const,
    exec: (_: unknown, [name = '']: readonly string[]) => exec[name],
  }
  const life = new ContainerLife({ pods, script, clock, environments: undefined, emit: ({ kind }) => events.push(kind) })
  pods.addSandbox('s', sandboxOf('u'), ['10.0.0.2'], clock.now())
  const container = pods.addContainer({ id: 'c', sandboxId: 's', spec: containerOf('u'), imageUser: 7, createdAtMs: clock.now() })
  const commands = new SimulatedExec({ pods, script, clock, life, environments: undefined })
  return { clock, pods, events, life, container, commands }
}

for (const [text, behaviour, afterMs, end] of [
  ['a run time and an exit code', { runMs: 2000, exitCode: 3 }, 2000, { exitCode: 3, reason: 'Error' }],
  ['a run time alone', { runMs: 2000 }, 2000, { exitCode: 0, reason: 'Completed' }],
  [
    'a reason and a message',
    { runMs: 1, exitCode: 1, reason: 'OOMKilled', message: 'm' },
    1,
    { exitCode: 1, reason: 'OOMKilled', message: 'm' },
  ],
  ['an empty reason', { runMs: 1, reason: '' }, 1, { exitCode: 0 }],
] as const satisfies readonly (readonly [string, Behaviour, number, object])[])
  test(`a container whose script has ${text} ends so, and not before`, async () => {
    const { clock, life, container, events } = openContainer(behaviour)
    await life.start(container)
    await clock.advance(afterMs - 1)
    assert.equal(container.status.state, 'running')
    await clock.advance(1)
    const { state, startedAtMs = 0, finishedAtMs = 0, exitCode, reason, message } = container.status
    assert.deepEqual({ state, ranMs: finishedAtMs - startedAtMs }, { state: 'exited', ranMs: afterMs })
    assert.deepEqual({ exitCode, ...(reason && { reason }), ...(message && { message }) }, end)
    assert.deepEqual(events, ['started', 'died'])
  })

for (const [text, onStop, endsMs, exitCode] of [
  ['without a word about stopping', undefined, 0, 143],
  ['that takes its time', { afterMs: 400 }, 400, 143],
  ['that ends well', { afterMs: 0, exitCode: 0 }, 0, 0],
  ['that takes longer than its grace', { afterMs: 4000 }, 1000, 137],
  ['that ignores the request', 'ignore', 1000, 137],
] as const)
  test(`a container ${text} is stopped within its grace of a second`, async () => {
    const { clock, life, container } = openContainer(onStop === undefined ? {} : { onStop })
    await life.start(container)
    const startedMs = clock.now()
    const stopped = container.process?.stop(1000, NEVER)
    await clock.advance(5000)
    await stopped
    assert.deepEqual([(container.status.finishedAtMs ?? 0) - startedMs, container.status.exitCode], [endsMs, exitCode])
  })

test('a second stop with less grace kills sooner, one with more changes nothing', async () => {
  const { clock, life, container } = openContainer({ onStop: 'ignore' })
  await life.start(container)
  const startedMs = clock.now()
  const stops = [9000, 2000, 30_000].map((graceMs) => container.process?.stop(graceMs, NEVER))
  await clock.advance(10_000)
  await Promise.all(stops)
  assert.equal((container.status.finishedAtMs ?? 0) - startedMs, 2000)
})

test('a container is started once', async () => {
  const { life, container } = openContainer({})
  await life.start(container)
  await assert.rejects(life.start(container), /container c has been started before/)
})

test('a container that is resumed has run since then, and is not reported as started', () => {
  const { clock, life, container, events } = openContainer({ readyMs: 5000 })
  life.resume(container, clock.now() - 6000)
  assert.deepEqual([container.status.state, life.isReady(container), events.length], ['running', true, 0])
})

for (const [text, command, timeoutMs, takesMs, result] of [
  ['that the script knows', 'known', 0, 0, { exitCode: 4, stdout: 'out', stderr: '' }],
  ['that takes less than its limit', 'slow', 500, 300, { exitCode: 0, stdout: '', stderr: '' }],
  ['that nobody knows', 'other', 0, 0, { exitCode: 0, stdout: '', stderr: '' }],
] as const)
  test(`a probe's command ${text} ends with ${result.exitCode}`, async () => {
    const { clock, life, container, commands } = openContainer({}, { known: { exitCode: 4, stdout: 'out' }, slow: { takesMs: 300 } })
    await life.start(container)
    const ran = commands.toEnd(container, [command], timeoutMs, NEVER)
    await clock.advance(takesMs)
    assert.deepEqual({ ...(await ran), takesMs: undefined }, { ...result, takesMs: undefined })
  })

test("a probe's command that takes longer than its limit fails when the limit is over", async () => {
  const { clock, life, container, commands } = openContainer({}, { slow: { takesMs: 300 } })
  await life.start(container)
  const ran = assert.rejects(commands.toEnd(container, ['slow', 'x'], 200, NEVER), {
    code: 'deadline',
    message: 'command "slow x" timed out',
  })
  await clock.advance(200)
  await ran
})

test("a probe's command fails until the script has the container ready", async () => {
  const { clock, life, container, commands } = openContainer({ readyMs: 1000 })
  await life.start(container)
  assert.equal((await commands.toEnd(container, ['x'], 0, NEVER)).exitCode, 1)
  await clock.advance(1000)
  assert.equal((await commands.toEnd(container, ['x'], 0, NEVER)).exitCode, 0)
})

test('an unknown command on streams exits with 127, as in a shell', async () => {
  const { life, container, commands } = openContainer({})
  await life.start(container)
  const written: string[] = []
  const sink = (name: string) => ({
    write: async (bytes: Uint8Array) => void written.push(`${name}: ${Buffer.from(bytes)}`),
    end: async () => {},
  })
  const { exitCode } = await commands.onStreams(container, ['x'], { stdout: sink('out'), stderr: sink('err'), tty: false }, NEVER)
  assert.deepEqual([exitCode, written], [127, ['err: x: a simulated container does not know this command\n']])
})
