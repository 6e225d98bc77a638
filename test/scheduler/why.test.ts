/** docs/why.md, walked with the real kubectl; access to the report; and clusters whose scheduler runs elsewhere. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { pageSteps } from '../../scripts/walked-page.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import { NODES, PODS, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { installed } from '../walked-page.ts'

const root = path.join(import.meta.dirname, '..', '..')
const REPORTS = { group: 'bowsprit.dev', version: 'v1', resource: 'schedulingreports', namespace: 'default' }

const clean = (text: string) =>
  text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/web-[a-z0-9]+-[a-z0-9]{5}/g, 'web-POD')
    .trim()

test('docs/why.md works as shown', async (t) => {
  const steps = pageSteps('why.md')
  assert.equal(steps.length, 4)
  await using cluster = await startCluster({ nodes: 2 })
  const { sh } = await installed(t, cluster)
  for (const { script, shown } of steps) {
    const { out, err } = await sh(script)
    assert.equal(clean(out), shown.trim(), err)
  }
  const { out } = await sh('kubectl explain schedulingreport.changes')
  assert.match(out, /tried on a\s+copy of the cluster/)
})

test('package.json installs the kubectl plugin', () => {
  const { bin } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> }
  assert.equal(bin['kubectl-bowsprit'], bin.bowsprit)
})

test('a report requires the right to get it, and an existing pod', async () => {
  await using cluster = await startCluster({ nodes: 1 })
  await cluster.client().create({ ...PODS, namespace: 'default' }, pod('a', { image: 'i' }))
  const somebody = cluster.client({ name: 'somebody', groups: ['system:authenticated'] })
  await assert.rejects(somebody.get({ ...REPORTS, name: 'a' }), (error) => isStatus(error, 'Forbidden'))
  const report = await waitFor(() => cluster.client().get({ ...REPORTS, name: 'a' }))
  assert.equal(report.kind, 'SchedulingReport')
  await assert.rejects(
    cluster.client().get({ ...REPORTS, name: 'b' }),
    (error) => isStatus(error, 'NotFound') && /pods "b" not found/.test(error.message),
  )
  await assert.rejects(cluster.client().list(REPORTS), (error) => isStatus(error, 'MethodNotAllowed'))
})

test('a bare API server has no such group; why looks at the cluster itself', async (t) => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  const status = { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } }
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'small' } })
  await client.update({ ...NODES, name: 'small', subresource: 'status' }, { ...(await client.get({ ...NODES, name: 'small' })), status })
  await client.create(
    { ...SERVICE_ACCOUNTS, namespace: 'default' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  )
  const resources = { requests: { cpu: '1500m' } }
  await client.create(
    { ...PODS, namespace: 'default' },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { schedulerName: 'mine', tolerations: [{ operator: 'Exists' }], containers: [{ name: 'c', image: 'i', resources }] },
    },
  )
  await assert.rejects(client.get({ ...REPORTS, name: 'a' }), (error) => isStatus(error, 'NotFound'))
  const { sh } = await installed(t, cluster)
  const { out, err, code } = await sh('kubectl bowsprit why pod/a')
  assert.equal(code, 0, err)
  assert.match(out, /no scheduler "mine" has been seen in this cluster/)
  assert.match(out, /enlarge node small: it lacks 500m of cpu/)
  const lost = await sh('kubectl-bowsprit why pod nobody')
  assert.deepEqual([lost.code, lost.err.trim()], [1, 'bowsprit why: pods "nobody" not found in namespace default'])
  const odd = await sh('kubectl-bowsprit why node small')
  assert.match(odd.err, /kind: "node" is none of pod, deployment, /)
})
