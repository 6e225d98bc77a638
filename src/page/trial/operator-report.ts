import { shownText } from '../wire/shown-text.ts'
import { aBoolean, aNumber, aText, fieldsOf, listOf, oneOf, optional, type Read, type Shape, ShapeError } from './json-shape.ts'

/** Reports may come from anywhere: what is invisible in their texts is made visible. */
const shown: Shape<string> = (value, at) => shownText(aText(value, at), MAX_TEXT)
/** Of a field; the program's last output is the longest. */
const MAX_TEXT = 64 * 1024

const permission = fieldsOf({ group: shown, resource: shown, verb: shown, namespace: shown })

const call = fieldsOf({
  atMs: aNumber,
  doneMs: optional(aNumber),
  life: aNumber,
  verb: shown,
  path: shown,
  target: optional(fieldsOf({ resource: shown, namespace: shown, name: shown, subresource: shown })),
  code: optional(aNumber),
  changed: optional(aBoolean),
  fault: optional(shown),
})

const scene = fieldsOf({
  calls: listOf(call),
  callsLeftOut: aNumber,
  marks: listOf(fieldsOf({ atMs: aNumber, what: shown })),
  objects: listOf(fieldsOf({ atMs: aNumber, lane: shown, what: oneOf('came', 'changed', 'went') })),
  said: shown,
})

const step = fieldsOf({
  rule: shown,
  outcome: oneOf('passed', 'failed', 'skipped'),
  why: optional(shown),
  scene: optional(scene),
  tookMs: aNumber,
})

const trial = fieldsOf({
  command: shown,
  grade: oneOf('A', 'B', 'C', 'D', 'F'),
  steps: listOf(step),
  permissions: fieldsOf({ minimal: shown, used: listOf(permission), missing: listOf(permission), unused: listOf(permission) }),
  undisturbed: optional(scene),
})

const finding = fieldsOf({
  harm: oneOf('data lost', 'stuck', 'wrong', 'noisy'),
  symptoms: listOf(fieldsOf({ rule: shown, text: shown })),
  steps: listOf(fieldsOf({ name: shown })),
  fault: optional(fieldsOf({ what: shown })),
  alsoSeen: aNumber,
  guilty: optional(fieldsOf({ wrote: shown, read: listOf(shown) })),
  timeline: listOf(shown),
})

const search = fieldsOf({
  seed: aNumber,
  workloads: aNumber,
  runs: aNumber,
  points: fieldsOf({ found: aNumber, tried: aNumber, sameState: aNumber, sameCause: aNumber }),
  explored: optional(
    fieldsOf({
      fields: fieldsOf({ found: aNumber, tried: aNumber }),
      values: fieldsOf({ tried: aNumber, refused: aNumber }),
      pairs: aNumber,
    }),
  ),
  findings: listOf(finding),
})

/** A trial of an operator, as `bowsprit test-operator --json` writes it. */
export type TrialReport = Read<typeof trial>
export type TrialStep = Read<typeof step>
/** What happened in a trial cluster; times are milliseconds since its start. */
export type TrialScene = Read<typeof scene>
export type TrialCall = Read<typeof call>
export type Permission = Read<typeof permission>
/** A search for faults of an operator, as `bowsprit test-operator --search --json` writes it. */
export type SearchReport = Read<typeof search>
export type Finding = Read<typeof finding>

/** What `bowsprit test-operator` found out. */
export type OperatorReport =
  | { readonly kind: 'trial'; readonly report: TrialReport }
  | { readonly kind: 'search'; readonly report: SearchReport }

/** Reads a report of either kind. @throws {ShapeError} if it is none, with the first place that differs */
export function readOperatorReport(value: unknown): OperatorReport {
  const { grade, findings } = fieldsOf<{ grade: unknown; findings: unknown }>({ grade: (of) => of, findings: (of) => of })(
    value,
    'the report',
  )
  if (grade !== undefined) return { kind: 'trial', report: trial(value, '') }
  if (findings !== undefined) return { kind: 'search', report: search(value, '') }
  throw new ShapeError('it is no report of `bowsprit test-operator --json`: it has neither a grade nor findings')
}
