import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../sdk/client/client.ts'
import type { Catalogue } from '../frame/catalogue.ts'
import { createMetricsSource } from './metrics-source.ts'

const TABLE: readonly (readonly [what: string, kind: string, resource: string, namespaced: boolean, path: string])[] = [
  ['in a namespace', 'Service', 'services', true, 'namespaces/team/services/it/load'],
  ['without a namespace is asked for in that of the autoscaler', 'Node', 'nodes', false, 'namespaces/team/nodes/it/load'],
  ['that is a namespace is asked for as the autoscaler’s own', 'Namespace', 'namespaces', false, 'namespaces/team/metrics/load'],
]
for (const [what, kind, resource, namespaced, path] of TABLE)
  test(`the metric of an object ${what}`, async () => {
    const asked: string[] = []
    const groups = [{ name: 'custom.metrics.k8s.io', preferredVersion: { version: 'v1beta2' } }]
    const page = async (at: string) => {
      asked.push(at)
      return { value: at === '/apis' ? { groups } : { items: [{ value: '2500m' }] } }
    }
    const ofKind = async () => ({ group: '', version: 'v1', resource, kind, namespaced, verbs: [] })
    const source = createMetricsSource({
      client: { page } as unknown as Client,
      catalogue: { ofKind } as unknown as Catalogue,
    })
    assert.equal(await source.object({ metric: { name: 'load' }, namespace: 'team', of: { apiVersion: 'v1', kind, name: 'it' } }), 2500)
    assert.deepEqual(asked, ['/apis', `/apis/custom.metrics.k8s.io/v1beta2/${path}`])
  })
