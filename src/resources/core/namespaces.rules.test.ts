import { ruleTables } from '../rule-table.contract.ts'
import { namespaces } from './namespaces.ts'

ruleTables(namespaces, {
  object: `
metadata: {name: ns-m, labels: {pod-security.kubernetes.io/enforce: baseline}}
spec: {finalizers: [kubernetes, example.com/f]}
`,
  filled: ['metadata.labels[kubernetes.io/metadata.name] = ns-m', 'status = {phase: Active}'],
  create: [
    [
      'spec.finalizers[0] = kubernetesx',
      'spec.finalizers: Invalid value: "kubernetesx": name is neither a standard finalizer name nor is it fully qualified',
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'metadata.labels[pod-security.kubernetes.io/enforce] = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.finalizers[0] = "Bad_Name!"',
      `spec.finalizers: Invalid value: "Bad_Name!": name part must consist of alphanumeric characters, …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.finalizers: Invalid value: "Bad_Name!": name is neither a standard finalizer name nor is it fully qualified',
    ],
    [
      'spec.finalizers[0] = ""',
      'spec.finalizers: Invalid value: "": name part must be non-empty',
      `spec.finalizers: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.finalizers: Invalid value: "": name is neither a standard finalizer name nor is it fully qualified',
    ],
    [
      'spec.finalizers[0] = a × 300',
      'spec.finalizers: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
      'spec.finalizers: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…me nor is it fully qualified',
    ],
  ],
  update: [['-metadata.labels[pod-security.kubernetes.io/enforce]', '-metadata.labels[pod-security.kubernetes.io/enforce]']],
})

ruleTables(namespaces, {
  object: 'metadata: {name: ns}',
  status: [
    ['status.phase = Active'],
    ['status.phase = Terminating', `status.Phase: Invalid value: "Terminating": may only be 'Active' if \`deletionTimestamp\` is empty`],
    [
      'metadata.deletionTimestamp = "2026-01-01T00:00:00Z" && status.phase = Terminating',
      'metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable',
      'metadata.deletionTimestamp: Invalid value: "2026-01-01T00:00:00Z": field is immutable',
    ],
    ['metadata.deletionTimestamp = "2026-01-01T00:00:00Z" -> status.phase = Terminating', 'status.phase = Terminating'],
    [
      'metadata.deletionTimestamp = "2026-01-01T00:00:00Z" -> status.phase = Active',
      `status.Phase: Invalid value: "Active": may only be 'Terminating' if \`deletionTimestamp\` is not empty`,
    ],
  ],
})
