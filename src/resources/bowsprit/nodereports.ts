import type { Schema, StructSchema } from '../../machinery/schema/schema.ts'
import { textColumn } from '../text-column.ts'
import type { NodeReport } from './node-report.ts'
import { FLAG, list, META, NUMBER, reportResource, reportStruct, TEXT } from './report-schema.ts'
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

const struct = (name: string, fields: Readonly<Record<string, Schema>>) => reportStruct(name, fields, ABOUT)

let made: StructSchema | undefined

/** The types of `node-report.ts`. */
function schema(): StructSchema {
  if (made !== undefined) return made
  const cpu = struct('NodeCpu', { id: NUMBER, core: NUMBER, socket: NUMBER, use: TEXT, pod: TEXT })
  const memory = struct('NodeMemory', { type: TEXT, total: NUMBER, reserved: NUMBER, used: NUMBER })
  const device = struct('NodeDevice', { id: TEXT, healthy: FLAG, pod: TEXT })
  const devices = list(struct('NodeDevices', { resource: TEXT, total: NUMBER, free: NUMBER, unhealthy: NUMBER, devices: list(device) }))
  made = struct('NodeReport', {
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
  return made
}

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
