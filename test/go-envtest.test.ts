/** controller-runtime's envtest, unmodified, with what `bowsprit assets` lays down; built where there is Go. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { envtestHouse } from './envtest-pair.ts'
import { goProgram } from './go-program.ts'
import { runProgram } from './run-program.ts'

const PARTS = ['start', 'definition', 'apart', 'user', 'restart', 'stop']

test('envtest starts, uses and stops two control planes', async (t) => {
  const program = await goProgram('go-envtest')
  if (program.why !== undefined) return t.skip(program.why)
  using house = envtestHouse()
  const { code, out, err } = await runProgram(program.file, [], { env: { KUBEBUILDER_ASSETS: house.assets }, cwd: house.folder })
  assert.deepEqual({ code, done: out.trim().split('\n') }, { code: 0, done: PARTS.map((p) => `ok ${p}`) }, err)
})
