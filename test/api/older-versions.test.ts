/** `age`: group versions that Kubernetes has removed are served for programs that were written before. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '../../src/machinery/object.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import { CRON_JOBS, CUSTOM_RESOURCE_DEFINITIONS, POD_DISRUPTION_BUDGETS } from '../../src/resources/refs.ts'
import type { CustomResourceDefinition } from '../../src/resources/types/apiextensions.ts'
import type { Target } from '../../src/sdk/client/client.ts'
import { createDiscovery } from '../../src/sdk/client/discovery.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

/** Without the type of its objects. */
const older = ({ group, version: _, ...place }: Target): Target => ({ group, version: 'v1beta1', ...place })
const DEFINITION: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1beta1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    version: 'v1alpha1',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    subresources: { status: {} },
    validation: { openAPIV3Schema: { properties: { spec: { properties: { size: { type: 'integer' }, any: {} } } } } },
    additionalPrinterColumns: [{ name: 'Size', type: 'integer', JSONPath: '.spec.size' }],
  },
}

test('a cluster of an earlier age', async (t) => {
  await using cluster = await startCluster({ nodes: 0, parts: ['server'], age: 20 })
  const client = cluster.client()

  await t.test('a budget of policy/v1beta1 is the same object as one of policy/v1', async () => {
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'a' } } }
    const budget = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', metadata: { name: 'a' }, spec }
    const made = await client.create({ ...older(POD_DISRUPTION_BUDGETS), namespace: 'default' }, budget)
    assert.equal(made.apiVersion, 'policy/v1beta1')
    const newer = await client.get({ ...POD_DISRUPTION_BUDGETS, namespace: 'default', name: 'a' })
    assert.deepEqual([newer.apiVersion, newer.spec], ['policy/v1', spec])
    const patched = await client.patch({ ...older(POD_DISRUPTION_BUDGETS), namespace: 'default', name: 'a' }, 'merge', {
      spec: { minAvailable: 2 },
    })
    assert.deepEqual([patched.apiVersion, patched.metadata.uid], ['policy/v1beta1', newer.metadata.uid])
    const { items } = await client.list(older(POD_DISRUPTION_BUDGETS))
    assert.equal(items.length, 1)
  })

  await t.test('jobs have no batch/v1beta1, cron jobs have', async () => {
    const { resources } = await createDiscovery(client).read()
    const versions = (resource: string) => resources.filter((r) => r.resource === resource).map((r) => `${r.group}/${r.version}`)
    assert.deepEqual(versions('cronjobs').sort(), ['batch/v1', 'batch/v1beta1'])
    assert.deepEqual(versions('jobs'), ['batch/v1'])
    assert.equal(resources.find((r) => r.resource === 'cronjobs' && r.preferred)?.version, CRON_JOBS.version)
  })

  await t.test('a definition of apiextensions.k8s.io/v1beta1 is served, and read as both', async () => {
    await client.create(older(CUSTOM_RESOURCE_DEFINITIONS), DEFINITION)
    const gadgets = { group: 'example.com', version: 'v1alpha1', resource: 'gadgets', namespace: 'default' }
    const gadget = { apiVersion: 'example.com/v1alpha1', kind: 'Gadget', metadata: { name: 'g' }, spec: { size: 1, any: { kept: [1] } } }
    const made = await waitFor(() => client.create(gadgets, gadget).catch(() => undefined))
    assert.deepEqual(made?.spec, gadget.spec)
    await assert.rejects(client.patch({ ...gadgets, name: 'g' }, 'merge', { spec: { size: 'x' } }), (error) => isStatus(error, 'Invalid'))
    const target = { ...CUSTOM_RESOURCE_DEFINITIONS, name: DEFINITION.metadata.name ?? '' }
    const newer = (await client.get(target)) as Readonly<CustomResourceDefinition>
    assert.deepEqual(newer.spec.versions[0]?.additionalPrinterColumns, [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }])
    const again = (await client.get(older(target))) as KubeObject<Record<string, unknown>>
    const { version, subresources, additionalPrinterColumns } = DEFINITION.spec as Record<string, unknown>
    assert.deepEqual(
      [again.spec?.version, again.spec?.subresources, again.spec?.additionalPrinterColumns],
      [version, subresources, additionalPrinterColumns],
    )
  })
})

test('a cluster of no age serves none of them', async () => {
  await using cluster = await startCluster({ nodes: 0, parts: ['server'] })
  await assert.rejects(cluster.client().list(older(POD_DISRUPTION_BUDGETS)), (error) => isStatus(error, 'NotFound'))
})
