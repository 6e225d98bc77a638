import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Decision } from '../../apiserver/identity/authorizer.ts'
import { SentRequest } from '../../apiserver/request/sent-request.double.ts'
import { TrailRecorder } from '../../apiserver/trail/trail-recorder.ts'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { requestTrails as requestTrailDefinition } from '../../resources/bowsprit/requesttrails.ts'
import { requestTrails } from './request-trails.ts'

test('while an authorizer is asked, a trail stays that of its request, whatever comes meanwhile', async () => {
  const trails = new TrailRecorder({ clock: new VirtualClock(), random: seededRandom(1) })
  const send = (auditId: string, method: string) => trails.begin(new SentRequest('/api/v1/nodes', { method, auditId })).complete(200)
  send('first', 'POST')
  const collection = requestTrails(trails, undefined)
  await collection.refreshed?.()
  const asked = Promise.withResolvers<Decision>()
  const reading = collection.objects(['first'], { user: { name: 'ann', groups: [] }, authorizer: { authorize: () => asked.promise } })
  // So many that trails are no longer indexed, and then so many that the first would be used again.
  for (let i = 0; i < 20_000; i++) send(`read-${i}`, 'GET')
  for (let i = 0; i < 5000; i++) send(`write-${i}`, 'POST')
  asked.resolve({ verdict: 'allow', reason: '' })
  const object = (await reading).get('first')?.object
  assert.equal(object !== undefined && 'auditID' in object && object.auditID, 'first')
})

test('selectors read from the outline of a trail what they would read from the whole', async () => {
  const trails = new TrailRecorder({ clock: new VirtualClock(), random: seededRandom(1) })
  const created = trails.begin(new SentRequest('/apis/apps/v1/namespaces/shop/deployments', { method: 'POST', auditId: 'created' }))
  created.stored('shop/web', 7)
  created.complete(201)
  trails.begin(new SentRequest('/api/v1/nodes?watch=1', { auditId: 'watching' }))
  const refused = trails.begin(new SentRequest('/version', { auditId: 'refused' }))
  refused.failed(new Error('no'))
  refused.complete(500)
  const collection = requestTrails(trails, undefined)
  await collection.refreshed?.()
  const fields = Object.entries(requestTrailDefinition.versions[0]?.selectableFields ?? {})
  const all = { user: { name: 'ann', groups: [] }, authorizer: { authorize: () => ({ verdict: 'allow', reason: '' }) as const } }
  for (const name of ['created', 'watching', 'refused']) {
    const [outline, whole] = [collection.outline?.(name), (await collection.objects([name], all)).get(name)?.object]
    assert.ok(outline !== undefined && whole !== undefined)
    const read = (object: KubeObject) => Object.fromEntries(fields.map(([field, value]) => [field, value(object)]))
    assert.deepEqual({ ...read(outline), name: outline.metadata.name }, { ...read(whole), name: whole.metadata.name })
  }
})
