import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { buildPage } from '../../scripts/build-page.mjs'
import { requestInfo } from '../apiserver/request/request-info.ts'
import type { SearchReport } from './operator-search/search-operator.ts'
import type { OperatorTrialReport } from './operator-trial/test-operator.ts'
import { operatorTrialHtml } from './operator-trial-html.ts'

before(() => buildPage())

const { target } = requestInfo('PUT', '/api/v1/namespaces/a/configmaps/x', { watching: false })
const HOSTILE = `"'</pre></title></style><img src=x onerror=alert(1)>\u202e`

const report: OperatorTrialReport = {
  command: HOSTILE,
  grade: 'B',
  steps: [
    { rule: 'it comes to rest', outcome: 'passed', tookMs: 1200 },
    {
      rule: 'it ends',
      outcome: 'failed',
      why: HOSTILE,
      tookMs: 10,
      scene: {
        calls: [{ id: 1, atMs: 5, life: 1, verb: 'update', target, path: '/api/v1/x', dryRun: false, code: 409, fault: 'conflict' }],
        callsLeftOut: 3,
        marks: [{ atMs: 4, what: 'killed' }],
        objects: [{ atMs: 1, key: 'ConfigMap a/x', lane: 'configmaps a/x', what: 'came' }],
        said: HOSTILE,
      },
    },
  ],
  permissions: {
    minimal: 'kind: ClusterRole',
    used: [{ group: '', resource: 'configmaps', namespace: 'a', verb: 'get' }],
    missing: [],
    unused: [],
  },
  undisturbed: undefined,
}

test('the report of a trial is one file with rules, lanes, requests and permissions', () => {
  const html = operatorTrialHtml(report)
  for (const part of ['1 passed, 1 failed, 0 skipped', '1 request (3 more are left out)', '→ 409 (conflict)', 'kind: ClusterRole'])
    assert.ok(html.includes(part), part)
  assert.match(
    html,
    /<i class="update refused faulty" style="left:\s?100(\.00)?%;?" title="5 ms, run 1: update \/api\/v1\/x → 409 \(conflict\)"/,
  )
  assert.match(html, /<meta http-equiv="content-security-policy" content="default-src 'none'/)
})

test('what an operator prints does not become markup', () => {
  const html = operatorTrialHtml(report)
  assert.ok(!html.includes('<img'))
  assert.ok(!html.includes('\u202e'))
  assert.equal(html.split('<style>').length, 2)
})

test('the report of a search names each cause, its fault and what happened', () => {
  const search: SearchReport = {
    seed: 1,
    workloads: 2,
    runs: 3,
    points: { found: 9, tried: 5, sameState: 4, sameCause: 0, outOfTime: 0 },
    findings: [
      {
        harm: 'stuck',
        symptoms: [{ harm: 'stuck', rule: 'a fault does not change the state', text: 'ConfigMap a/x is missing' }],
        steps: [{ name: 'create' }, { name: 'delete' }],
        fault: { kind: 'crash', what: 'killed before its write 2' },
        alsoSeen: 2,
        guilty: { wrote: 'delete configmaps a/x → 200', read: ['at revision 41'] },
        timeline: ['0.1 s create'],
      },
    ],
  }
  const html = operatorTrialHtml(search)
  for (const part of [
    '1 fault found',
    'ConfigMap a/x is missing',
    'create → delete',
    'killed before its write 2',
    'in 2 more histories',
    '0.1 s create',
  ])
    assert.ok(html.includes(part), part)
})
