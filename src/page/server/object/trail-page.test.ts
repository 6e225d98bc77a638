import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestTrail } from '../../../resources/bowsprit/request-trail.ts'
import { trailPage } from './trail-page.ts'

const STEP = { phase: 'validate', plugin: 'ValidatingAdmissionWebhook', webhook: 'house.example.com', milliseconds: 1 } as const

/** The lines of a create that came through these stages. */
const linesOf = (stages: readonly string[], more: Partial<RequestTrail>) =>
  trailPage({
    apiVersion: 'bowsprit.dev/v1',
    kind: 'RequestTrail',
    metadata: { name: 'a' },
    auditID: 'a',
    receivedAt: '2026-11-28T22:15:58.606000Z',
    user: { name: 'admin' },
    authentication: 'in process',
    verb: 'create',
    path: '/api/v1/namespaces/default/configmaps',
    state: 'complete',
    stages: stages.map((name, i) => ({ name, endMilliseconds: i + 1, milliseconds: 1 })),
    ...more,
  }).lines.map(({ name, what, depth }) => [name, what, depth])

test('the steps of admission are below the stage in which the request is handled', () => {
  const lines = linesOf(['authorize', 'handle', 'respond'], { admission: [{ ...STEP, outcome: 'passed' }] })
  assert.deepEqual(lines, [
    ['authorize', '', 0],
    ['handle', '', 0],
    ['validate', 'ValidatingAdmissionWebhook · house.example.com', 1],
    ['respond', '', 0],
  ])
})

test('a plugin whose webhooks have steps has none itself', () => {
  const { webhook: _, ...sum } = STEP
  const lines = linesOf(['handle'], {
    admission: [
      { ...STEP, outcome: 'passed' },
      { ...sum, outcome: 'passed' },
    ],
  })
  assert.deepEqual(lines, [
    ['handle', '', 0],
    ['validate', 'ValidatingAdmissionWebhook · house.example.com', 1],
  ])
})

test('so they are where one of them has refused it; of a request that runs, the stage has no end yet', () => {
  const refused: Partial<RequestTrail> = { state: 'failed', reason: 'Forbidden', admission: [{ ...STEP, outcome: 'refused' }] }
  const step = ['validate', 'ValidatingAdmissionWebhook · house.example.com · refused', 1]
  assert.deepEqual(linesOf(['authorize', 'handle', 'respond'], refused), [
    ['authorize', '', 0],
    ['handle', '', 0],
    step,
    ['respond', '', 0],
    ['failed', 'Forbidden', 0],
  ])
  assert.deepEqual(linesOf(['authorize'], { ...refused, state: 'running' }), [['authorize', '', 0], ['handle', '', 0], step])
})
