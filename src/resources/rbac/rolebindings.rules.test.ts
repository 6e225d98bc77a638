import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { rbacResources } from './group.ts'

ruleTables(definitionOf(rbacResources, 'rolebindings'), {
  object: `
metadata: {name: b, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
subjects:
  - {kind: User, name: u, apiGroup: rbac.authorization.k8s.io}
  - {kind: ServiceAccount, name: s, namespace: x}
  - {kind: Group, name: g}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
`,
  filled: ['subjects[2].apiGroup = rbac.authorization.k8s.io'],
  create: [
    ['-subjects[1].name', 'subjects[1].name: Required value'],
    ['-subjects[1].kind', 'subjects[1].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"'],
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
      'subjects[1].name = "Bad_Name!"',
      `subjects[1].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of low…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'subjects[1].name = a × 300',
      'subjects[1].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    ['-subjects'],
  ],
  update: [
    ['-subjects[0].name', 'subjects[0].name: Required value'],
    ['-subjects[1].kind', 'subjects[1].kind: Unsupported value: "": supported values: "ServiceAccount", "User", "Group"'],
    [
      'subjects[0].apiGroup = "Bad_Name!"',
      'subjects[0].apiGroup: Unsupported value: "Bad_Name!": supported values: "rbac.authorization.k8s.io"',
    ],
    [
      'roleRef.name = "Bad_Name!"',
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"Bad_Name!"}: cannot change roleRef',
    ],
    [
      '-roleRef.name',
      'roleRef.name: Required value',
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":""}: cannot change roleRef',
    ],
    [
      '-roleRef.kind',
      'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"","Name":"view"}: cannot change roleRef',
    ],
    [
      'roleRef.apiGroup = rbac.authorization.k8s.iox',
      'roleRef.apiGroup: Unsupported value: "rbac.authorization.k8s.iox": supported values: "rbac.authorization.k8s.io"',
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.iox","Kind":"ClusterRole","Name":"view"}: cannot change roleRef',
    ],
    [
      'subjects[1].name = "Bad_Name!"',
      `subjects[1].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of low…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
  ],
})
