import { once } from '../../base/once.ts'
import { textColumn } from '../text-column.ts'
import { FLAG, list, META, NUMBER, reportResource, reportStructs, TEXT } from './report-schema.ts'
import type { SchedulingReport } from './scheduling-report.ts'

/** Documentation of fields for `kubectl explain`, by name. */
const ABOUT: Readonly<Record<string, string>> = {
  pod: 'The pod that the report is about.',
  summary: 'The result in one sentence.',
  attempt: 'The last attempt that the scheduler keeps, as it was; absent when there was none, or when it was forgotten.',
  now: "The filters and scores of the pod's profile at the time of the report.",
  changes: 'Single changes after which a pod without a node would fit, each tried on a copy of the cluster; the smallest first.',
  together: 'Where no single change is enough: changes that let it in together, each of which is needed.',
  message: 'In words.',
  command: 'A command that makes the change, if there is one.',
  write: 'The same as a request: a merge patch of a node or pod; without a patch it is deleted.',
  patch: 'JSON.',
  outcome: 'Placed or Unschedulable.',
  number: 'The number of attempts, including this one.',
  fitting: 'How many nodes fitted.',
  chosen: 'The node that has the pod, or would get it.',
  ties: 'How many nodes shared the best total: one of them was drawn.',
  list: 'Nodes one by one: those that fitted by their totals, then the others.',
  unlisted: 'Nodes that are counted and not listed.',
  notAsked: 'Extenders and plugins in other processes, which were not called again.',
  resolvable: 'Whether preemption could help.',
  scores: "Each plugin's score times its weight.",
  victims: 'The pods that were preempted.',
}

const struct = reportStructs(ABOUT)

/** The types of `scheduling-report.ts`. */
const schema = once(() => {
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
  const write = struct('ChangeWrite', { resource: TEXT, namespace: TEXT, name: TEXT, patch: TEXT })
  const change = struct('ReportedChange', { kind: TEXT, node: TEXT, message: TEXT, command: TEXT, write })
  return struct('SchedulingReport', {
    apiVersion: TEXT,
    kind: TEXT,
    metadata: META(),
    pod: struct('ReportedPod', { uid: TEXT, schedulerName: TEXT, nodeName: TEXT, nominatedNodeName: TEXT, schedulingGates: list(TEXT) }),
    summary: TEXT,
    attempt: struct('ReportedAttempt', { time: TEXT, number: NUMBER, outcome: TEXT, message: TEXT, view, victims: list(TEXT) }),
    now: view,
    changes: list(change),
    together: list(change),
  })
})

/** `schedulingreports.bowsprit.dev`: one for each pod, under the pod's name. Served if a scheduler runs in the same process. */
export const schedulingReports = reportResource(
  { kind: 'SchedulingReport', plural: 'schedulingreports', singular: 'schedulingreport' },
  {
    schema,
    report: 'schedulingReports',
    columns: [
      textColumn<SchedulingReport>('Name', 'The name of the pod.', (r) => r.metadata.name ?? ''),
      textColumn<SchedulingReport>('Node', 'Where the pod is.', (r) => r.pod.nodeName ?? '<none>'),
      textColumn<SchedulingReport>('Summary', 'Why it is there, or nowhere.', (r) => r.summary),
      textColumn<SchedulingReport>('Change', 'The smallest change after which it would fit.', (r) => r.changes?.[0]?.message ?? '<none>'),
    ],
  },
)
