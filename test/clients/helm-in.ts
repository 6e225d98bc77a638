import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { helmPath } from '../../scripts/clients.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { type Ended, runProgram } from '../run-program.ts'

/** Runs helm with a cluster's kubeconfig and a home folder of its own. */
export async function helmIn(
  cluster: Cluster,
  t: TestContext,
): Promise<{ run(line: string): Promise<Ended>; helm(line: string): Promise<string> }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-helm-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await cluster.listen()
  writeFileSync(path.join(folder, 'kubeconfig'), cluster.kubeconfig())
  const env = { KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder }
  const run = (line: string) => runProgram(helmPath(), line.split(' '), { env })
  /** Returns its output if it succeeds. */
  const helm = async (line: string) => {
    const { code, out, err } = await run(line)
    assert.equal(code, 0, `helm ${line}: ${err}${out}`)
    return out
  }
  return { run, helm }
}
