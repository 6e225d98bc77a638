import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fitsExec, MOST_ARGUMENT_BYTES } from './exec-limits.ts'

const ROWS: readonly (readonly [what: string, argv: readonly string[], environment: Readonly<Record<string, string>>, fits: boolean])[] = [
  ['a plain command', ['true', 'a'], { PATH: '/bin' }, true],
  ['an argument that leaves room for its end', ['true', 'x'.repeat(MOST_ARGUMENT_BYTES - 1)], {}, true],
  ['an argument without that room', ['true', 'x'.repeat(MOST_ARGUMENT_BYTES)], {}, false],
  ['an argument of few characters and many bytes', ['true', '€'.repeat(MOST_ARGUMENT_BYTES / 2)], {}, false],
  ['a variable that fits with its name', ['true'], { A: 'x'.repeat(MOST_ARGUMENT_BYTES - 3) }, true],
  ['a variable that does not fit with its name', ['true'], { A: 'x'.repeat(MOST_ARGUMENT_BYTES - 2) }, false],
  ['many arguments', ['true', ...Array.from({ length: 100_000 }, () => 'a')], {}, true],
  ['too many arguments', ['true', ...Array.from({ length: 250_000 }, () => 'a')], {}, false],
]
for (const [what, argv, environment, fits] of ROWS)
  test(`a kernel ${fits ? 'starts' : 'does not start'} ${what}`, () => {
    assert.equal(fitsExec(argv, environment), fits)
    if (process.platform !== 'linux') return
    const [command = '', ...args] = argv
    const { error } = spawnSync(`/bin/${command}`, args, { env: environment })
    assert.equal(error !== undefined && 'code' in error && error.code === 'E2BIG', !fits)
  })
