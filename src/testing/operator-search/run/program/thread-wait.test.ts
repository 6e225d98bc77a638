import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueWithin, type ThreadWait, threadWait } from './thread-wait.ts'

const REST = '0x0 0x8 0x7ffeb14f2360 0x7f92a5a46cae'

const ROWS: readonly (readonly [name: string, line: string, wait: ThreadWait, arch?: string])[] = [
  ['one that runs', 'running', { kind: 'computes' }],
  ['one that waits for memory', '-1 0x7ffeb14f2360 0x7f92a5a46cae', { kind: 'computes' }],
  ['an event loop with a timer', `281 0xe 0x7ffeb14f30c0 0x400 0x1388 ${REST}`, { kind: 'loop', timeoutMs: 5000 }],
  [
    'an event loop without timers',
    `281 0x9 0x7f92a5939cf0 0x400 0xffffffff ${REST}`,
    { kind: 'loop', timeoutMs: Number.POSITIVE_INFINITY },
  ],
  ['an event loop of another processor', `22 0x9 0xffff939cf0 0x400 0x32 ${REST}`, { kind: 'loop', timeoutMs: 50 }, 'arm64'],
  ['a lock', '202 0x3e7af950 0x189 0x0 0x0 0x0 0xffffffff 0x7f92a513bc70 0x7f92a59c3f16', { kind: 'other' }],
  ['a lock with a time-out', '202 0x3e7af950 0x189 0x0 0x7f92a513bc00 0x0 0x0 0x7f92a513bc70 0x7f92a59c3f16', { kind: 'supervisor' }],
  ['a sleep', '230 0x0 0x0 0x7fff21a65c80 0x7fff21a65cc0 0x0 0x0 0x7fff21a65c68 0x7f05e4a7a503', { kind: 'sleeps' }],
  ['a read', '0 0x0 0x7fff21a65c80 0x1000 0x0 0x0 0x0 0x7fff21a65c68 0x7f05e4a7a503', { kind: 'other' }],
  ['one that must not be looked at', '', { kind: 'sleeps' }],
  ['a processor that is not known', '281 0x9 0x0 0x400 0x1', { kind: 'sleeps' }, 'riscv64'],
]
for (const [name, line, wait, arch = 'x64'] of ROWS) test(`a thread: ${name}`, () => assert.deepEqual(threadWait(line, arch), wait))

const loop = (timeoutMs: number): ThreadWait => ({ kind: 'loop', timeoutMs })
const [other, supervisor, sleeps]: ThreadWait[] = [{ kind: 'other' }, { kind: 'supervisor' }, { kind: 'sleeps' }]

test('the next timer is that of the event loop that waits for the shortest time', () => {
  assert.equal(dueWithin([loop(500), other as ThreadWait, supervisor as ThreadWait, loop(70)]), 70)
})

test('the next timer does not show where a thread sleeps, where several have time-outs of their own, and without an event loop', () => {
  for (const waits of [[loop(500), sleeps], [loop(500), supervisor, supervisor], [other]])
    assert.equal(dueWithin(waits as ThreadWait[]), undefined)
})
