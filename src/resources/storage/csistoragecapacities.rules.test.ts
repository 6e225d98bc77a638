import { ruleTables } from '../rule-table.contract.ts'
import { csiStorageCapacities } from './csi.ts'

ruleTables(csiStorageCapacities, {
  object: `
metadata: {name: c}
storageClassName: fast
capacity: "10Gi"
maximumVolumeSize: "5Gi"
nodeTopology: {matchLabels: {app: web}}
`,
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    [
      '-storageClassName',
      `storageClassName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case a…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
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
