import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { ProgramProcess } from './program-process.ts'
import type { ShippedProcess } from './shipped/shipped-process.ts'

type Body = (process: ProgramProcess) => number | undefined | Promise<number | undefined>

/** A process that runs `body`; what a program is given beyond itself is not used here. */
async function started(body: Body) {
  const clock = new VirtualClock()
  const complaints: string[] = []
  const stderr = { write: async (data: string | Uint8Array) => void complaints.push(String(data)) }
  const process = new ProgramProcess({ clock, stopSignal: 'SIGTERM', stderr })
  process.start(() => body(process), {} as ShippedProcess)
  await clock.advance(1)
  return { clock, process, complaints: () => complaints.join('') }
}

const never = () => new Promise<undefined>(() => {})

const ENDS: readonly (readonly [what: string, body: Body, exitCode: number])[] = [
  ['what the program returns', () => 3, 3],
  ['eight bits of it', () => 256 + 7, 7],
  ['nothing returned is 0', () => undefined, 0],
  ['an error is 1', () => Promise.reject(new Error('oops')), 1],
  ['what it leaves with', (process) => process.leave(5), 5],
]
for (const [what, body, exitCode] of ENDS)
  test(`the exit code of a process: ${what}`, async () => {
    const { process } = await started(body)
    assert.equal(await process.exit, exitCode)
    assert.equal(process.over, true)
  })

const SIGNALS: readonly (readonly [signal: string, exitCode: number])[] = [
  ['SIGKILL', 137],
  ['SIGTERM', 143],
  ['TERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
  ['SIGQUIT', 131],
]
for (const [signal, exitCode] of SIGNALS)
  test(`${signal} ends a process that does not mind it with ${exitCode}`, async () => {
    const { process } = await started(never)
    process.deliver(signal)
    assert.equal(await process.exit, exitCode)
  })

test('an error is printed, and an exit is none', async () => {
  assert.match((await started(() => Promise.reject(new Error('oops')))).complaints(), /Error: oops/)
  assert.equal((await started((process) => process.leave(5))).complaints(), '')
})

test('a handler keeps a signal from ending the process, until it is taken away', async () => {
  const { process } = await started(never)
  let heard = 0
  const off = process.onSignal('SIGUSR1', () => void heard++)
  process.deliver('SIGUSR1')
  assert.deepEqual([heard, process.over], [1, false])
  off()
  process.deliver('SIGUSR1')
  assert.equal(await process.exit, 138)
})

test('a program that looks at its signal decides by itself when to stop', async () => {
  const { process } = await started((own) => new Promise((resolve) => own.signal.addEventListener('abort', () => resolve(9))))
  process.deliver('SIGTERM')
  assert.equal(await process.exit, 9)
})

test('SIGKILL cannot be caught', async () => {
  const { process } = await started(never)
  process.onSignal('SIGKILL', () => {})
  process.deliver('SIGKILL')
  assert.equal(await process.exit, 137)
})

test('an open port keeps a process that has returned, and a closed one lets it end', async () => {
  const { process } = await started((own) => {
    own.portOpened()
    return undefined
  })
  await process.listening
  assert.equal(process.over, false)
  process.portClosed()
  assert.equal(await process.exit, 0)
})

test('what a process holds is let go of at its end, the last first', async () => {
  const { process } = await started(never)
  const gone: string[] = []
  process.scope.hold(() => void gone.push('first'))
  process.scope.hold(() => void gone.push('second'))
  const release = process.scope.hold(() => void gone.push('released'))
  release()
  process.kill()
  assert.deepEqual(gone, ['second', 'first'])
  process.scope.hold(() => void gone.push('late'))
  assert.equal(gone.at(-1), 'late')
})

test('what a process that is over waits for never comes', async () => {
  const { clock, process } = await started(never)
  let woken = false
  process.scope
    .clock()
    .sleep(10)
    .then(() => {
      woken = true
    })
  process.kill()
  await clock.advance(100)
  assert.equal(woken, false)
})

test('a loop of steps lets time pass', async () => {
  let steps = 0
  const { clock, process } = await started(async (own) => {
    for (;;) {
      await own.scope.step()
      steps++
    }
  })
  await clock.advance(10)
  process.kill()
  assert.ok(steps > 4096 && steps < 100_000, String(steps))
})
