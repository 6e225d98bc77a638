import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FlagError } from '../../machinery/flags/parse-flags.ts'
import { takeVersion } from './serve.ts'

for (const [line, wanted] of [
  ['--v=2', false],
  ['--version --v=2', true],
  ['--version=true --v=2', true],
  ['--v=2 --version=1', true],
  ['--v=2 --version=raw', true],
  ['--v=2 --version=v1.36.0', true],
  ['--version=false --v=2', false],
  ['--version --v=2 --version=0', false],
] as const)
  test(`${line}: the version is ${wanted ? 'requested' : 'not requested'}`, () =>
    assert.deepEqual(takeVersion(line.split(' ')), { wanted, rest: ['--v=2'] }))

for (const given of ['', 'bad', 'vbad'])
  test(`--version=${given} is a fault, in kube-apiserver's words`, () => {
    const message = `invalid argument "${given}" for "--version" flag: strconv.ParseBool: parsing "${given}": invalid syntax`
    assert.throws(() => takeVersion(['--version', `--version=${given}`]), new FlagError('bad-value', message))
  })
