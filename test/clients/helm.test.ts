/** helm 4 with a chart of twenty-one kinds: installed, upgraded, rolled back, uninstalled. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { CONFIG_MAPS, CRON_JOBS, DEPLOYMENTS, SECRETS } from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { helmIn } from './helm-in.ts'

const chart = path.join(import.meta.dirname, 'chart')

test('helm installs, upgrades, rolls back and uninstalls a chart of many kinds', async (t) => {
  await using cluster = await startCluster()
  const { helm } = await helmIn(cluster, t)
  const client = cluster.client()
  const here = { namespace: 'default', name: 'h' }
  const greeting = async () => (await client.get({ ...CONFIG_MAPS, ...here })).data?.greeting
  const missing = { name: 'StatusError', code: 404 }

  assert.match(await helm(`install h ${chart}`), /STATUS: deployed/)
  assert.equal(await greeting(), 'ahoy')
  assert.equal((await client.get({ ...CRON_JOBS, ...here })).spec?.schedule, '0 0 * * *')

  assert.match(await helm(`upgrade h ${chart} --set greeting=hello --set replicas=3 --set port=81 --set batch=false`), /REVISION: 2/)
  assert.equal(await greeting(), 'hello')
  assert.equal((await client.get({ ...DEPLOYMENTS, ...here })).spec?.replicas, 3)
  await assert.rejects(client.get({ ...CRON_JOBS, ...here }), missing)

  assert.match(await helm('rollback h 1'), /Rollback was a success/)
  assert.equal(await greeting(), 'ahoy')
  assert.equal((await client.get({ ...DEPLOYMENTS, ...here })).spec?.replicas, 2)
  assert.equal((await client.get({ ...CRON_JOBS, ...here })).spec?.schedule, '0 0 * * *')
  assert.match(await helm('history h'), /3\s+.*deployed.*Rollback to 1/)
  assert.match(await helm('get values h'), /USER-SUPPLIED VALUES/)
  assert.match(await helm('list'), /^h\s+default\s+3/m)

  assert.match(await helm('uninstall h'), /release "h" uninstalled/)
  await assert.rejects(client.get({ ...CONFIG_MAPS, ...here }), missing)
  assert.deepEqual((await client.list({ ...SECRETS, namespace: 'default' })).items, [])
})
