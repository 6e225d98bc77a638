import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReportedNode, ReportedView, SchedulingReport } from '../../resources/bowsprit/scheduling-report.ts'
import { whyText } from './report-text.ts'

const TAINT = { plugin: 'TaintToleration', reasons: ['node(s) had untolerated taint(s)'], resolvable: false }
const FULL = { plugin: 'NodeResourcesFit', reasons: ['Insufficient cpu', 'Insufficient memory'], resolvable: true }
const refused = (name: string, ...verdicts: (typeof TAINT)[]): ReportedNode => ({ name, fits: false, verdicts })
const fitting = (name: string, total: number): ReportedNode => ({
  name,
  fits: true,
  scores: [
    { plugin: 'NodeResourcesFit', score: total - 1 },
    { plugin: 'ImageLocality', score: 1 },
  ],
  total,
})
const view = (list: readonly ReportedNode[], rest: Partial<ReportedView> = {}): ReportedView => ({
  nodes: list.length,
  fitting: list.filter((node) => node.fits).length,
  verdicts: [],
  unlisted: 0,
  list,
  ...rest,
})
const report = (rest: Partial<SchedulingReport>): SchedulingReport => ({
  apiVersion: 'bowsprit.dev/v1',
  kind: 'SchedulingReport',
  metadata: { name: 'web', namespace: 'default' },
  pod: { uid: 'u', schedulerName: 'default-scheduler' },
  summary: 'it fits nowhere',
  ...rest,
})

const TITLE = 'pod default/web: it fits nowhere'
const ROWS: readonly [name: string, rest: Partial<SchedulingReport>, text: string][] = [
  ['nothing is known', {}, TITLE],
  ['there is no node', { now: view([]) }, `${TITLE}\n\nThere is no node.`],
  [
    'a row for each reason of each node',
    { now: view([refused('a', TAINT, FULL), refused('b', FULL)]) },
    [
      TITLE,
      '',
      'NODE  FITS  PLUGIN            WHY NOT',
      'a     no    TaintToleration   node(s) had untolerated taint(s)',
      '            NodeResourcesFit  Insufficient cpu, Insufficient memory',
      'b     no    NodeResourcesFit  Insufficient cpu, Insufficient memory',
    ].join('\n'),
  ],
  [
    'changes, the smallest first, with their commands',
    {
      changes: [
        { kind: 'Uncordon', message: 'uncordon node a', command: 'kubectl uncordon a' },
        { kind: 'AddNode', message: 'add a node' },
      ],
    },
    `${TITLE}\n\nEach of these alone would let it in, the smallest first (tried on a copy of the cluster):\n  1. uncordon node a\n     kubectl uncordon a\n  2. add a node`,
  ],
  [
    'who was not asked again',
    { now: view([], { notAsked: ['extender e'] }) },
    `${TITLE}\n\nThere is no node.\n\nNot asked again: extender e.`,
  ],
  [
    'the last attempt, and who was asked to leave',
    {
      attempt: {
        time: '2026-01-01T00:00:00Z',
        number: 3,
        outcome: 'Unschedulable',
        message: '0/1 nodes are available',
        view: view([]),
        victims: ['default/old'],
      },
    },
    `${TITLE}\n\nAttempt 3, 2026-01-01T00:00:00Z: 0/1 nodes are available\nAsked to leave: default/old`,
  ],
  [
    'scores of the best node and its rivals',
    { now: view([fitting('b', 40), fitting('a', 50)], { chosen: 'a' }) },
    [
      TITLE,
      '',
      'NODE  FITS  PLUGIN  WHY NOT',
      'b     yes',
      'a     yes',
      '',
      'SCORES, as of now  a (best)  b',
      'ImageLocality      1         1',
      'NodeResourcesFit   49        39',
      'total              50        40',
    ].join('\n'),
  ],
]
for (const [name, rest, text] of ROWS) test(`why: ${name}`, () => assert.equal(whyText(report(rest)), text))

test('more than 15 nodes are counted by what turned them down', () => {
  const list = Array.from({ length: 17 }, (_, i) => refused(`n${String(i).padStart(2, '0')}`, TAINT))
  const text = whyText(report({ now: view(list, { nodes: 20, unlisted: 3, verdicts: [{ ...TAINT, nodes: 20 }] }) }))
  assert.match(text, /n14 .*\n… and 5 more nodes\. In all:\nNODES {2}PLUGIN {11}WHY NOT\n20 {5}TaintToleration {2}node\(s\)/)
  assert.doesNotMatch(text, /n15/)
})

test('a placed pod is shown with the scores at its placement', () => {
  const placed = view([fitting('a', 50)], { chosen: 'a' })
  const text = whyText(
    report({
      summary: 'it runs on a',
      pod: { uid: 'u', schedulerName: 's', nodeName: 'a' },
      attempt: { time: 't', number: 1, outcome: 'Placed', message: 'Successfully assigned', view: placed },
      now: view([fitting('a', 10)]),
    }),
  )
  assert.match(text, /SCORES, when it was placed {2}a \(chosen\)/)
  assert.match(text, /total {23}50/)
})
