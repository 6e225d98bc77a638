/** Events are one object in two groups: each group has field selectors of its own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { pageText } from './page-text.ts'

const EVENTS = { group: 'events.k8s.io', version: 'v1', resource: 'events', namespace: 'default' }
const CORE = { group: '', version: 'v1', resource: 'events', namespace: 'default' }

test('field selectors of both groups find the same event', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  await client.create(EVENTS, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'one', namespace: 'default' },
    regarding: { kind: 'Pod', name: 'web', namespace: 'default' },
    eventTime: '2026-11-22T09:00:00.000000Z',
    type: 'Normal',
    action: 'Do',
    reason: 'Tested',
    reportingController: 'tester',
    reportingInstance: 'tester-1',
  })
  const found = async (target: typeof CORE, fieldSelector: string) => (await client.list(target, { fieldSelector })).items.length
  const table: readonly (readonly [typeof CORE, string, number])[] = [
    [EVENTS, 'reportingController=tester', 1],
    [EVENTS, 'reportingController=other', 0],
    [EVENTS, 'regarding.name=web,regarding.kind=Pod', 1],
    [EVENTS, 'reason=Tested,type=Normal', 1],
    [CORE, 'reportingComponent=tester', 1],
    [CORE, 'source=tester', 1],
    [CORE, 'involvedObject.name=web', 1],
    [CORE, 'involvedObject.name=other', 0],
  ]
  for (const [target, selector, count] of table) assert.equal(await found(target, selector), count, `${target.group} ${selector}`)
})

test('a revision that does not exist yet: only watches of events name a time to retry', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const retries = async (query: string) =>
    /"retryAfterSeconds":\d+/.exec(await pageText(cluster, `/api/v1/events?resourceVersion=99999999&${query}`))?.[0]
  const late = 'resourceVersionMatch=NotOlderThan'
  const streamed = `watch=true&sendInitialEvents=true&allowWatchBookmarks=true&${late}`
  assert.deepEqual(await Promise.all([retries(late), retries(streamed)]), [undefined, '"retryAfterSeconds":1'])
})

test('a revision that is too old: watches of events say so in the words of the store', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ parts: ['server'] }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const MAPS = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }
  const event = { involvedObject: { namespace: 'default' }, reason: 'Tested', type: 'Normal' }
  for (const name of ['a', 'b']) {
    await client.create(CORE, { apiVersion: 'v1', kind: 'Event', metadata: { name }, ...event })
    await client.create(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
  }
  await clock.advance(900_000)
  const errorOf = async (resource: string, accept = 'application/json') => {
    const text = await pageText(cluster, `/api/v1/namespaces/default/${resource}?watch=1&resourceVersion=1`, accept)
    return /"message":"([^"]*)"/.exec(text)?.[1]?.replaceAll(/\d+/g, 'N')
  }
  assert.equal(await errorOf('events'), 'The resourceVersion for the provided watch is too old.')
  assert.equal(await errorOf('configmaps'), 'too old resource version: N (N)')
  const list = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
  assert.equal(await errorOf('configmaps', list), 'too old resource version: N (N)')
  // No event is a list.
  assert.equal(await pageText(cluster, '/api/v1/namespaces/default/configmaps?watch=1', list), '')
})
