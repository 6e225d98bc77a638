import { ruleTables } from '../rule-table.contract.ts'
import { ipAddresses } from './ipaddresses.ts'

ruleTables(ipAddresses, {
  object: `
metadata: {name: "10.77.0.5"}
spec: {parentRef: {resource: services, name: x, namespace: "y"}}
`,
  create: [
    ['-spec', 'spec.parentRef: Required value'],
    ['-spec.parentRef.name', 'spec.parentRef.name: Required value'],
    ['-spec.parentRef.resource', 'spec.parentRef.resource: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    [
      'metadata.name = "Bad_Name!"',
      'metadata.name: Invalid value: "Bad_Name!": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
})
