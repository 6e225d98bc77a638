/** helm 4 with a chart of twenty-one kinds: installed, upgraded, rolled back, uninstalled. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { helmPath } from '../../scripts/clients.ts'
import { CONFIG_MAPS, DEPLOYMENTS, SECRETS } from '../../src/sdk/client/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { runProgram } from '../run-program.ts'

const chart = path.join(import.meta.dirname, 'chart')
const CRON_JOBS = { group: 'batch', version: 'v1', resource: 'cronjobs', namespace: 'default', name: 'h' }

test('helm installs, upgrades, rolls back and uninstalls a chart of many kinds', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-helm-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await using cluster = await startCluster()
  await cluster.listen()
  writeFileSync(path.join(folder, 'kubeconfig'), cluster.kubeconfig())
  const env = { KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder }
  const helm = async (line: string) => {
    const { code, out, err } = await runProgram(helmPath(), line.split(' '), { env })
    assert.equal(code, 0, `helm ${line}: ${err}${out}`)
    return out
  }
  const client = cluster.client()
  const here = { namespace: 'default', name: 'h' }
  const greeting = async () => (await client.get({ ...CONFIG_MAPS, ...here })).data?.greeting
  const missing = { name: 'StatusError', code: 404 }

  assert.match(await helm(`install h ${chart}`), /STATUS: deployed/)
  assert.equal(await greeting(), 'ahoy')
  assert.equal((await client.get(CRON_JOBS)).spec?.schedule, '0 0 * * *')

  assert.match(await helm(`upgrade h ${chart} --set greeting=hello --set replicas=3 --set port=81 --set batch=false`), /REVISION: 2/)
  assert.equal(await greeting(), 'hello')
  assert.equal((await client.get({ ...DEPLOYMENTS, ...here })).spec?.replicas, 3)
  await assert.rejects(client.get(CRON_JOBS), missing)

  assert.match(await helm('rollback h 1'), /Rollback was a success/)
  assert.equal(await greeting(), 'ahoy')
  assert.equal((await client.get({ ...DEPLOYMENTS, ...here })).spec?.replicas, 2)
  assert.equal((await client.get(CRON_JOBS)).spec?.schedule, '0 0 * * *')
  assert.match(await helm('history h'), /3\s+.*deployed.*Rollback to 1/)
  assert.match(await helm('get values h'), /USER-SUPPLIED VALUES/)
  assert.match(await helm('list'), /^h\s+default\s+3/m)

  assert.match(await helm('uninstall h'), /release "h" uninstalled/)
  await assert.rejects(client.get({ ...CONFIG_MAPS, ...here }), missing)
  assert.deepEqual((await client.list({ ...SECRETS, namespace: 'default' })).items, [])
})
