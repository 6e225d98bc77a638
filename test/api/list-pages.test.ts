/** Paged lists whose first revision is compacted before the last page is read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { StatusError } from '../../src/machinery/status-error.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

const MAPS = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }
const MINUTE = 60_000

test('a token expires however often it is used, and the response has one that continues from the same key', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ parts: ['server'] }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  const make = (name: string) => client.create(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { of: 'list' } } })
  for (const name of ['a', 'b', 'c', 'd', 'e']) await make(name)
  const requested = { limit: 2 }
  const names = (list: { readonly items: readonly { readonly metadata: { readonly name?: string } }[] }) =>
    list.items.map((o) => o.metadata.name).filter((n) => n !== 'kube-root-ca.crt')
  const first = await client.list(MAPS, requested)
  assert.deepEqual(names(first), ['a', 'b'])
  const token = { ...requested, continue: first.metadata.continue ?? '' }
  await make('f')

  let expired: StatusError | undefined
  let minutes = 0
  for (; minutes < 12 && expired === undefined; minutes++) {
    await clock.advance(MINUTE)
    try {
      assert.deepEqual(names(await client.list(MAPS, token)), ['c', 'd'])
    } catch (error) {
      assert(error instanceof StatusError)
      expired = error
    }
  }
  assert.equal(expired?.code, 410)
  assert.ok(minutes >= 5 && minutes <= 10, `after ${minutes} minutes`)
  const rest = await client.list(MAPS, { ...requested, continue: expired.status.metadata?.continue ?? '' })
  assert.deepEqual(names(rest), ['c', 'd'])
  assert.notEqual(rest.metadata.resourceVersion, first.metadata.resourceVersion)
  const last = await client.list(MAPS, { limit: 10, continue: rest.metadata.continue ?? '' })
  assert.deepEqual(names(last), ['e', 'f'])
  assert.equal(last.metadata.resourceVersion, rest.metadata.resourceVersion)
})
