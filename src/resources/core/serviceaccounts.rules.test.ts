import { ruleTables } from '../rule-table.contract.ts'
import { serviceAccounts } from './serviceaccounts.ts'

ruleTables(serviceAccounts, {
  object: `
metadata: {name: sa}
`,
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
  ],
})

ruleTables(serviceAccounts, {
  object: `
metadata: {name: sa1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
secrets: [{name: x}]
imagePullSecrets: [{name: "y"}]
automountServiceAccountToken: false
`,
  update: [['-metadata.labels', '-metadata.labels']],
})
