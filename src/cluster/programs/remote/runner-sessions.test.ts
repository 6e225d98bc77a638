import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunnerEnd } from './runner-process.ts'
import { exitOf } from './runner-sessions.ts'

const END: RunnerEnd = { why: 'other', message: 'the process of programs ended with SIGKILL', blamed: 3 }

for (const [rule, end, container, reason, message] of [
  ['a container that filled the memory was killed for it', { why: 'full' }, 3, 'OOMKilled', /^the program has filled the memory/],
  ['another one was not', { why: 'full', message: 'out of memory' }, 4, 'Error', /for another container: out of memory$/],
  [
    'a container whose program went on last shows why it was killed',
    {},
    3,
    'Error',
    /^killed: the process of programs ended with SIGKILL$/,
  ],
  ['a loop is no lack of memory', { why: 'stuck', message: 'it has not given up' }, 3, 'Error', /^killed: it has not given up$/],
] as const)
  test(rule, () => {
    const exit = exitOf({ ...END, ...end }, container)
    assert.deepEqual([exit.exitCode, exit.reason], [137, reason])
    assert.match(exit.message ?? '', message)
  })
