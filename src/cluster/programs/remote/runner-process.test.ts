import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../../base/clock.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import type { RunnerData } from './runner-data.ts'
import { startRunner } from './runner-process.ts'

type Own = Omit<RunnerData, 'parent'>

const file = (name: string) => path.join(import.meta.dirname, name)
const data: Own = {
  images: {},
  serviceCidr: '10.0.0.0/24',
  server: { address: '10.0.0.1', port: 443 },
  limits: { stuckMs: 60_000, stopMs: 20_000, heapMb: 128, memoryMb: 1024 },
}
const LOOPING: Own = { ...data, images: file('looping-images.double.ts') }

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a runner that is stopped ends', async () => {
  const runner = startRunner(data, () => ({}), systemClock)
  await runner.stop()
  assert.equal(runs(runner.pid ?? 0), false)
})

test('a runner that does not end in time is killed', async () => {
  const runner = startRunner({ ...LOOPING, limits: { ...data.limits, stopMs: 100 } }, () => ({}), systemClock)
  await runner.stop()
  assert.equal(runs(runner.pid ?? 0), false)
})

test('a runner whose event loop does not turn ends itself, and every call of it fails', async () => {
  const runner = startRunner({ ...LOOPING, limits: { ...data.limits, stuckMs: 500 } }, () => ({}), systemClock)
  const message = 'it has not given up the processor for 0.5 s'
  await assert.rejects(runner.link.ask('stop', {}), { message })
  assert.deepEqual(await runner.ended, { why: 'stuck', message, blamed: 0 })
})

for (const [what, of] of [
  ['waits', data],
  ['does not turn its event loop', LOOPING],
] as const)
  test(`a runner that ${what} ends when the process that started it is killed`, async () => {
    const parent = spawn(process.execPath, [file('runner-parent.double.ts'), JSON.stringify(of)], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(parent.stdout, 'data')
    const pid = Number(line)
    assert.equal(runs(pid), true)
    parent.kill('SIGKILL')
    await waitFor(() => !runs(pid))
  })
