import { ruleTables } from '../rule-table.contract.ts'
import { csiDrivers } from './csi.ts'

ruleTables(csiDrivers, {
  object: `
metadata: {name: default}
`,
  filled: ['spec = {attachRequired: true, podInfoOnMount: false, storageCapacity: false, fsGroupPolicy: Read… false, seLinuxMount: false}'],
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
