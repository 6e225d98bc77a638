/** controller-runtime's unmodified envtest with the programs of `bowsprit assets`, if Go is installed. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import { goPrograms } from '../go-program.ts'
import { runProgram } from '../run-program.ts'
import { envtestHouse } from './envtest-pair.ts'

/** envtest's own 20 s are too short on a machine that runs other tests and compilers beside this one. */
const PATIENCE = { KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '90s', KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT: '90s' }
const PARTS = ['start', 'definition', 'apart', 'user', 'restart', 'stop']

test('envtest starts, uses and stops two control planes, from nothing and from a prepared cluster', async (t) => {
  const program = await goPrograms('envtest')
  if (program.why !== undefined) return t.skip(program.why)
  using house = envtestHouse()
  const from = path.join(house.folder, 'prepared.snapshot')
  {
    await using cluster = await startCluster({ ephemeral: true, parts: ['server'] }, { quiet: true })
    await cluster.save(from)
  }
  for (const more of [{}, { BOWSPRIT_FROM: from }]) {
    const env = { KUBEBUILDER_ASSETS: house.assets, ...PATIENCE, ...more }
    const { code, out, err } = await runProgram(path.join(program.bin, 'envtest'), [], { env, cwd: house.folder, timeoutMs: 240_000 })
    assert.deepEqual({ code, done: out.trim().split('\n') }, { code: 0, done: PARTS.map((p) => `ok ${p}`) }, err)
  }
})
