import { once } from '../../base/once.ts'
import { textColumn } from '../text-column.ts'
import type { NodeReport } from './node-report.ts'
import { FLAG, list, META, NUMBER, reportResource, reportStructs, TEXT } from './report-schema.ts'
import { reportedDecisionSchema } from './topologyreports.ts'

/** Documentation of fields for `kubectl explain`, by name. */
const ABOUT: Readonly<Record<string, string>> = {
  policy: "The node's topologyManagerPolicy.",
  scope: "The node's topologyManagerScope.",
  numaNodes: 'The parts of the machine, and which pod has them.',
  use: 'pod: of that pod alone; reserved: for the system; shared: for everybody else.',
  pod: 'namespace/name of the pod that has it for itself.',
  reserved: 'Bytes that are kept for the system.',
  used: 'Bytes that are reserved for pods.',
  devices: 'Devices by resource. Those of which a NUMA node is known stand there; of very many not all are named.',
  free: "Devices that are healthy, and nobody's.",
  unhealthy: 'Devices of which their plugin says so, or has gone.',
  pods: 'The pods of the node.',
  summary: 'What the pod has for itself, or why it was turned away.',
  decisions: 'What was decided when the pod was admitted last; empty when it was forgotten.',
  unlisted: 'Pods that are not listed.',
}

const struct = reportStructs(ABOUT)

/** The types of `node-report.ts`. */
const schema = once(() => {
  const cpu = struct('NodeCpu', { id: NUMBER, core: NUMBER, socket: NUMBER, use: TEXT, pod: TEXT })
  const memory = struct('NodeMemory', { type: TEXT, total: NUMBER, reserved: NUMBER, used: NUMBER })
  const device = struct('NodeDevice', { id: TEXT, healthy: FLAG, pod: TEXT })
  const devices = list(struct('NodeDevices', { resource: TEXT, total: NUMBER, free: NUMBER, unhealthy: NUMBER, devices: list(device) }))
  return struct('NodeReport', {
    apiVersion: TEXT,
    kind: TEXT,
    metadata: META(),
    policy: TEXT,
    scope: TEXT,
    numaNodes: list(struct('NodeNuma', { id: NUMBER, cpus: list(cpu), memory: list(memory), devices })),
    devices,
    pods: list(struct('NodePod', { namespace: TEXT, name: TEXT, summary: TEXT, decisions: list(reportedDecisionSchema()) })),
    unlisted: NUMBER,
  })
})

/** `nodereports.bowsprit.dev`: one for each node, under its name. Served if nodes with a topology run in the same process. */
export const nodeReports = reportResource(
  { kind: 'NodeReport', plural: 'nodereports', singular: 'nodereport' },
  {
    schema,
    report: 'nodeReports',
    columns: [
      textColumn<NodeReport>('Name', 'The name of the node.', (r) => r.metadata.name ?? ''),
      textColumn<NodeReport>('Policy', 'How NUMA nodes are chosen.', (r) => r.policy),
      textColumn<NodeReport>('NUMA', 'How many NUMA nodes it has.', (r) => String(r.numaNodes.length)),
      textColumn<NodeReport>('Pods', 'How many pods it has.', (r) => String(r.pods.length + (r.unlisted ?? 0))),
    ],
  },
  'Cluster',
)
