import { definitionOf, ruleTables } from '../rule-table.contract.ts'
import { apiRegistrationResources } from './group.ts'

ruleTables(definitionOf(apiRegistrationResources, 'apiservices'), {
  object: `
metadata: {name: v1.ns.example.com}
spec:
  group: ns.example.com
  version: v1
  versionPriority: 10
  service: {name: s, namespace: x, port: 443}
  insecureSkipTLSVerify: true
  groupPriorityMinimum: 100
`,
  filled: ['status = {}'],
  create: [
    ['-spec.versionPriority', 'spec.versionPriority: Invalid value: 0: must be positive and less than 1000'],
    ['-spec.groupPriorityMinimum', 'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000'],
    ['spec.service.port = 0', 'spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive'],
  ],
})
