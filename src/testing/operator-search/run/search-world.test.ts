import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../../../base/random.ts'
import { customResourceDefinition } from '../../builders.ts'
import { openTrialBase } from '../../operator-trial/trial-base.ts'
import { inProcessHost } from './in-process-host.ts'
import type { InProcessOperator } from './operator-life.ts'
import { SearchWorld, searchClock } from './search-world.ts'

const GADGETS = { group: 'example.com', version: 'v1', resource: 'gadgets' }
const GADGET = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g', namespace: 'default' } }

for (const [name, sample, hasTrace] of [
  ['a sample with a spec is as before', { ...GADGET, spec: { size: 1 } }, false],
  ['one without has an annotation', GADGET, true],
] as const)
  test(`a nudge makes the operator look at the samples: ${name}`, async () => {
    const install = [customResourceDefinition({ group: 'example.com', kind: 'Gadget', ...('spec' in sample && { spec: SIZE }) })]
    const deps = { clock: searchClock(), random: seededRandom(1) }
    await using base = await openTrialBase({ install, webhookPort: 9443, metrics: false }, deps)
    const seen: string[] = []
    const operator: InProcessOperator = async ({ client, signal }) => {
      const { metadata } = await client.list(GADGETS)
      for await (const events of client.watch(GADGETS, { resourceVersion: metadata.resourceVersion ?? '', signal }))
        seen.push(...events.map(({ type }) => type))
    }
    const { resources } = base
    const tracked = resources.filter(({ kind }) => kind === 'Gadget')
    const setup = {
      host: inProcessHost(operator),
      home: base,
      resources,
      tracked,
      parts: ['server' as const],
      answers: false,
      samples: [sample],
    }
    await using world = await SearchWorld.open(setup, { from: base.checkpoint, seed: 1, nudges: true, patienceMs: 0, endMs: 0 })
    world.start()
    await world.rest()
    world.step = 0
    await world.act([{ name: 'create', apply: [sample] }])
    const { objects } = await world.rest()
    assert.deepEqual(seen, ['ADDED', 'MODIFIED'])
    assert.equal(objects[0]?.metadata.annotations !== undefined, hasTrace)
  })

const SIZE = { type: 'object', properties: { size: { type: 'integer' } } }
