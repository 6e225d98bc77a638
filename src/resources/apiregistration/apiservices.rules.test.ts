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
    ['spec.group = Bad_Group && metadata.name = v1.Bad_Group', `spec.group: Invalid value: "Bad_Group": …`],
    ['spec.group = "" && metadata.name = v1.', '-spec.group'],
    [
      'spec.group = "" && spec.version = v2 && metadata.name = v2.',
      'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
    ],
    [
      'metadata.name = v2.ns.example.com',
      'metadata.name: Invalid value: "v2.ns.example.com": must be `spec.version+"."+spec.group`: "v1.ns.example.com"',
    ],
    ['spec.version = V_1 && metadata.name = V_1.ns.example.com', 'spec.version: Invalid value: "V_1": a DNS-1035 label must consist of …'],
    ['spec.versionPriority = 1000'],
    ['spec.versionPriority = 1001', 'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000'],
    ['spec.groupPriorityMinimum = 20000'],
    ['spec.groupPriorityMinimum = 20001', 'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000'],
    ['-spec.service', 'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify'],
    ['-spec.service && -spec.insecureSkipTLSVerify', '…'],
    [
      '-spec.service && -spec.insecureSkipTLSVerify && spec.caBundle = YWJj',
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
    ],
    ['-spec.service.namespace', 'spec.service.namespace: Required value'],
    ['-spec.service.name', 'spec.service.name: Required value'],
    ['spec.caBundle = YWJj', 'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
    ['-spec.versionPriority', 'spec.versionPriority: Invalid value: 0: must be positive and less than 1000'],
    ['-spec.groupPriorityMinimum', 'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000'],
    ['spec.service.port = 0', 'spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive'],
  ],
})
