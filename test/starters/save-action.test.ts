/** The script of save/action.yml, as a runner starts it: it ends a cluster, and keeps it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { load } from 'js-yaml'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import { CONFIG_MAPS } from '../../src/resources/refs.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { httpsTransport } from '../../src/sdk/client/https.ts'
import { loadKubeconfigFile } from '../../src/sdk/client/kubeconfig.ts'
import { configMap } from '../../src/testing/builders.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const root = path.join(import.meta.dirname, '../..')
const { runs } = load(readFileSync(path.join(root, 'save/action.yml'), 'utf8')) as { runs: { steps: { run?: string }[] } }
const script = runs.steps.find((step) => step.run !== undefined)?.run ?? ''

function runner(t: TestContext) {
  const temp = mkdtempSync(path.join(os.tmpdir(), 'save-action-'))
  t.after(() => rmSync(temp, { recursive: true, force: true }))
  mkdirSync(path.join(temp, 'bowsprit'))
  const summary = path.join(temp, 'summary')
  const at = (name: string) => path.join(temp, 'bowsprit', name)
  const env = { ...process.env, RUNNER_TEMP: temp, NAME: 'kept', GITHUB_STEP_SUMMARY: summary }
  /** Without blocking this process, which the cluster is a child of. */
  async function save() {
    const bash = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const [out, [code]] = await Promise.all([text(bash.stdout), once(bash, 'exit')])
    return { code, out }
  }
  return { at, summary, save }
}

test('the cluster of a failed run is kept, and opens with what it held', { timeout: 120_000 }, async (t) => {
  const { at, summary, save } = runner(t)
  const log = openSync(at('log'), 'w')
  const words = ['--ephemeral', '--port', '0', '--no-page', '--kubeconfig', at('kubeconfig'), '--save-on-exit', at('cluster.snapshot')]
  const up = spawn(process.execPath, [path.join(root, 'src/cli/main.ts'), 'up', ...words], { stdio: ['ignore', log, log] })
  t.after(() => up.kill('SIGKILL'))
  writeFileSync(at('pid'), String(up.pid))
  await waitFor(() => existsSync(at('kubeconfig')), { timeoutMs: 60_000 })
  const target = { ...CONFIG_MAPS, namespace: 'default' }
  {
    await using transport = httpsTransport(await loadKubeconfigFile(at('kubeconfig')))
    await waitFor(() => createClient(transport).create(target, configMap('evidence', { found: 'yes' })))
  }
  const ended = once(up, 'exit')
  const { code, out } = await save()
  await ended
  assert.equal(code, 0, out)
  assert.match(out, /in the artefact kept\..*\n.*bowsprit up --from cluster\.snapshot\n$/)
  assert.equal(readFileSync(summary, 'utf8'), out)
  await using again = await startCluster({ from: at('cluster.snapshot'), port: 0 })
  assert.deepEqual((await again.client().get({ ...target, name: 'evidence' })).data, { found: 'yes' })
})

test('a cluster that was not saved is an error, with its log', async (t) => {
  const { at, save } = runner(t)
  writeFileSync(at('log'), 'the disk is full\n')
  writeFileSync(at('pid'), '999999999')
  assert.deepEqual(await save(), { code: 1, out: '::error::the cluster was not saved; its log:\nthe disk is full\n' })
})
