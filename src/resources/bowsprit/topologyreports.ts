import { once } from '../../base/once.ts'
import type { StructSchema } from '../../machinery/schema/schema.ts'
import { textColumn } from '../text-column.ts'
import { FLAG, list, META, NUMBER, reportResource, reportStructs, TEXT } from './report-schema.ts'
import type { TopologyReport } from './topology-report.ts'

/** Documentation of fields for `kubectl explain`, by name. */
const ABOUT: Readonly<Record<string, string>> = {
  summary: 'The answer in one sentence.',
  node: 'Where the pod is, or was turned away.',
  policy: "The node's topologyManagerPolicy.",
  scope: "The node's topologyManagerScope.",
  decisions: 'What was decided when the pod was admitted last, for each container or for all together; empty when it was forgotten.',
  container: 'Absent: for all containers together.',
  hints: 'From which sets of NUMA nodes a wish could be met. Absent: any will do; empty: it cannot be met.',
  mask: 'A bit for each NUMA node, node 0 last. Absent: any will do.',
  preferred: 'No smaller set could do on this machine.',
  merged: 'What the policy made of the hints.',
  numaNodes: 'Who has what of the machine now.',
  use: 'own: of this pod alone; others: of another pod alone; reserved: for the system; shared: for everybody else; free: nobody has it.',
  own: 'Bytes, or devices, of this pod.',
  others: 'Bytes, or devices, of other pods.',
  devices: 'Who has which devices. Those of which a NUMA node is known stand there; of very many not all are named.',
  free: "Devices that are healthy, and nobody's.",
  unhealthy: 'Devices of which their plugin says so, or has gone.',
  reserved: 'Bytes that are kept for the system.',
}

const struct = reportStructs(ABOUT)

/** A decision of a topology manager. */
export function reportedDecisionSchema(): StructSchema {
  const hint = struct('ReportedHint', { mask: TEXT, preferred: FLAG })
  const hints = struct('ReportedHints', { provider: TEXT, resource: TEXT, hints: list(hint) })
  return struct('ReportedDecision', { container: TEXT, hints: list(hints), merged: hint, admitted: FLAG })
}

/** The types of `topology-report.ts`. */
const schema = once(() => {
  const decision = reportedDecisionSchema()
  const cpu = struct('ReportedCpu', { id: NUMBER, core: NUMBER, socket: NUMBER, cache: NUMBER, use: TEXT })
  const memory = struct('ReportedMemory', { type: TEXT, total: NUMBER, reserved: NUMBER, own: NUMBER, others: NUMBER })
  const device = struct('ReportedDevice', { id: TEXT, use: TEXT, healthy: FLAG })
  const amounts = { total: NUMBER, own: NUMBER, others: NUMBER, free: NUMBER, unhealthy: NUMBER }
  const devices = list(struct('ReportedDevices', { resource: TEXT, devices: list(device), ...amounts }))
  return struct('TopologyReport', {
    apiVersion: TEXT,
    kind: TEXT,
    metadata: META(),
    summary: TEXT,
    node: TEXT,
    policy: TEXT,
    scope: TEXT,
    decisions: list(decision),
    numaNodes: list(struct('ReportedNumaNode', { id: NUMBER, cpus: list(cpu), memory: list(memory), devices })),
    devices,
  })
})

/** `topologyreports.bowsprit.dev`: one for each pod, under the pod's name. Served if nodes with a topology run in the same process. */
export const topologyReports = reportResource(
  { kind: 'TopologyReport', plural: 'topologyreports', singular: 'topologyreport' },
  {
    schema,
    report: 'topologyReports',
    columns: [
      textColumn<TopologyReport>('Name', 'The name of the pod.', (r) => r.metadata.name ?? ''),
      textColumn<TopologyReport>('Node', 'Where the pod is.', (r) => r.node),
      textColumn<TopologyReport>('Policy', 'By what it was decided.', (r) => r.policy),
      textColumn<TopologyReport>('Summary', 'What it got, or why it was turned away.', (r) => r.summary),
    ],
  },
)
