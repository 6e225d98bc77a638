import { ruleTables } from '../rule-table.contract.ts'
import { podDisruptionBudgets } from './poddisruptionbudgets.ts'

ruleTables(podDisruptionBudgets, {
  object: `
metadata: {name: p2, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
`,
  filled: ['status = {disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0}'],
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-metadata.name && spec.maxUnavailable = -1', 'spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.maxUnavailable = -1', 'spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.maxUnavailable = "7"',
      `spec.maxUnavailable: Invalid value: "7": a valid percent string must be a numeric string followe…for validation is '[0-9]+%')`,
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
})

ruleTables(podDisruptionBudgets, {
  object: `
metadata: {name: p1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec: {minAvailable: "50%", selector: {matchLabels: {app: web}}, unhealthyPodEvictionPolicy: AlwaysAllow}
`,
  filled: ['status = {disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0}'],
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    [
      'spec.unhealthyPodEvictionPolicy = ""',
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.selector.matchLabels[Bad Key!] = x',
      `spec.selector.matchLabels: Invalid value: "Bad Key!": name part must consist of alphanumeric cha…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.selector.matchLabels.key = "a b!"',
      `spec.selector.matchLabels: Invalid value: "a b!": a valid label must be an empty string or consi…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.selector.matchLabels.app = a × 300',
      'spec.selector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
})
