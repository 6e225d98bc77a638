import { ruleTables } from '../rule-table.contract.ts'
import { leases } from './leases.ts'

ruleTables(leases, {
  object: `
metadata: {name: l}
`,
  filled: ['spec = {}'],
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

ruleTables(leases, {
  object: `
metadata: {name: l1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  holderIdentity: h
  leaseDurationSeconds: 15
  acquireTime: "2026-01-01T00:00:00.000000Z"
  renewTime: "2026-01-01T00:00:01.000000Z"
  leaseTransitions: 1
`,
  create: [['spec.leaseTransitions = -1', 'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0']],
})
