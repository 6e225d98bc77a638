import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import type { Schema, StructSchema } from '../../machinery/schema/schema.ts'
import { FLAG, list, META, NUMBER, reportStruct, TEXT } from './report-schema.ts'
import type { SchedulingReport } from './scheduling-report.ts'

/** What `kubectl explain` tells of fields, by their names. */
const ABOUT: Readonly<Record<string, string>> = {
  pod: 'The pod that the report is about.',
  summary: 'The answer in one sentence.',
  attempt: 'The last attempt that the scheduler keeps, as it was; absent when there was none, or when it was forgotten.',
  now: "The filters and scores of the pod's profile, asked when the report was made.",
  changes: 'Single changes after which a pod without a node would fit, each tried on a copy of the cluster; the smallest first.',
  message: 'In words.',
  command: 'A command that does it, where there is one.',
  outcome: 'Placed or Unschedulable.',
  number: 'How many attempts there were, this one included.',
  fitting: 'How many nodes fitted.',
  chosen: 'The node that has the pod, or would get it.',
  ties: 'How many nodes shared the best total: one of them was drawn.',
  list: 'Nodes one by one: those that fitted by their totals, then the others.',
  unlisted: 'Nodes that are counted and not listed.',
  notAsked: 'Extenders and plugins elsewhere that were not asked again.',
  resolvable: "Whether other pods' leaving could help.",
  scores: "Each plugin's score times its weight.",
  victims: 'Whose leaving was asked for.',
}

const struct = (name: string, fields: Readonly<Record<string, Schema>>) => reportStruct(name, fields, ABOUT)

let made: StructSchema | undefined

/** The types of `scheduling-report.ts`. */
function schema(): StructSchema {
  if (made !== undefined) return made
  const verdict = { plugin: TEXT, reasons: list(TEXT), resolvable: FLAG }
  const node = struct('ReportedNode', {
    name: TEXT,
    fits: FLAG,
    verdicts: list(struct('ReportedVerdict', verdict)),
    scores: list(struct('ReportedScore', { plugin: TEXT, score: NUMBER })),
    total: NUMBER,
  })
  const view = struct('ReportedView', {
    nodes: NUMBER,
    fitting: NUMBER,
    chosen: TEXT,
    ties: NUMBER,
    verdicts: list(struct('ReportedVerdictCount', { ...verdict, nodes: NUMBER })),
    list: list(node),
    unlisted: NUMBER,
    notAsked: list(TEXT),
  })
  made = struct('SchedulingReport', {
    apiVersion: TEXT,
    kind: TEXT,
    metadata: META(),
    pod: struct('ReportedPod', { uid: TEXT, schedulerName: TEXT, nodeName: TEXT, nominatedNodeName: TEXT, schedulingGates: list(TEXT) }),
    summary: TEXT,
    attempt: struct('ReportedAttempt', { time: TEXT, number: NUMBER, outcome: TEXT, message: TEXT, view, victims: list(TEXT) }),
    now: view,
    changes: list(struct('ReportedChange', { kind: TEXT, node: TEXT, message: TEXT, command: TEXT })),
  })
  return made
}

const column = (name: string, description: string, cell: (report: SchedulingReport) => string) =>
  ({
    name,
    type: 'string',
    format: name === 'Name' ? 'name' : '',
    description,
    priority: 0,
    cell: (object: object) => cell(object as SchedulingReport),
  }) as const

/** `schedulingreports.bowsprit.dev`: one for each pod, under the pod's name. Served where a scheduler runs in the same process. */
export const schedulingReports: ResourceDefinition = {
  group: 'bowsprit.dev',
  names: { kind: 'SchedulingReport', plural: 'schedulingreports', singular: 'schedulingreport' },
  scope: 'Namespaced',
  storageVersion: 'v1',
  versions: [
    {
      version: 'v1',
      served: true,
      schema,
      columns: [
        column('Name', 'The name of the pod.', (r) => r.metadata.name ?? ''),
        column('Node', 'Where the pod is.', (r) => r.pod.nodeName ?? '<none>'),
        column('Summary', 'Why it is there, or nowhere.', (r) => r.summary),
        column('Change', 'The smallest change after which it would fit.', (r) => r.changes?.[0]?.message ?? '<none>'),
      ],
    },
  ],
  verbs: ['get'],
  report: 'schedulingReports',
  rules: {},
}
