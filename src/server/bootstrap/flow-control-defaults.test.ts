import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { serverPartDouble } from '../../cluster/server/server-part.double.ts'
import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '../../resources/refs.ts'

const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec'

test('the defaults are made again within a minute; those that somebody keeps otherwise stay as they are', async () => {
  await using it = await serverPartDouble(new VirtualClock())
  const { client, clock } = it
  for (const name of ['exempt', 'probes']) await client.delete({ ...FLOW_SCHEMAS, name })
  await client.delete({ ...PRIORITY_LEVEL_CONFIGURATIONS, name: 'catch-all' })
  const change = (name: string, annotation: string | null | undefined, matchingPrecedence: number) =>
    client.patch({ ...FLOW_SCHEMAS, name }, 'merge', {
      ...(annotation === undefined ? {} : { metadata: { annotations: { [AUTO_UPDATE]: annotation } } }),
      spec: { matchingPrecedence },
    })
  await change('service-accounts', undefined, 9500)
  await change('system-nodes', 'false', 501)
  await change('system-leader-election', null, 101)
  await change('kube-scheduler', 'x', 800)
  const former = await client.get({ ...PRIORITY_LEVEL_CONFIGURATIONS, name: 'system' })
  const { spec } = former
  for (const [name, annotations] of Object.entries({ former: { [AUTO_UPDATE]: 'true' }, own: {} }))
    await client.create(PRIORITY_LEVEL_CONFIGURATIONS, {
      apiVersion: former.apiVersion,
      kind: former.kind,
      metadata: { name, annotations },
      ...(spec && { spec }),
    })
  await clock.advance(60_000)
  const { items } = await client.list(FLOW_SCHEMAS)
  const facts = Object.fromEntries(
    items.map(({ metadata, spec }) => [metadata.name, [metadata.annotations?.[AUTO_UPDATE], spec?.matchingPrecedence]]),
  )
  assert.deepEqual(
    ['exempt', 'probes', 'service-accounts', 'system-nodes', 'system-leader-election', 'kube-scheduler'].map((name) => facts[name]),
    [
      ['true', 1],
      ['true', 2],
      ['true', 9000],
      ['false', 501],
      ['false', 101],
      ['true', 800],
    ],
  )
  const levels = (await client.list(PRIORITY_LEVEL_CONFIGURATIONS)).items.map(({ metadata }) => metadata.name ?? '')
  assert.deepEqual([levels.includes('catch-all'), levels.includes('own'), levels.includes('former')], [true, true, false])
})
