import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { rbacResources } from './group.ts'

ruleTables(definitionOf(rbacResources, 'roles'), {
  object: `
metadata: {name: r}
`,
  filled: ['rules = null'],
  create: [['-metadata.name', 'metadata.name: Required value: name or generateName is required']],
})

ruleTables(definitionOf(rbacResources, 'roles'), {
  object: `
metadata: {name: r1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
rules:
  - {apiGroups: ["", apps], resources: [pods, pods/log, deployments], verbs: [get, "*"], resourceNames: [a]}
`,
  create: [
    ['-rules[0].verbs', 'rules[0].verbs: Required value: verbs must contain at least one value'],
    ['-rules[0].resources', 'rules[0].resources: Required value: resource rules must supply at least one resource'],
    ['-rules[0].apiGroups', 'rules[0].apiGroups: Required value: resource rules must supply at least one api group'],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
  update: [
    ['-rules[0].verbs', 'rules[0].verbs: Required value: verbs must contain at least one value'],
    ['-rules[0].resources', 'rules[0].resources: Required value: resource rules must supply at least one resource'],
  ],
})
