import { ruleTables } from '../rule-table.contract.ts'
import { csiNodes } from './csi.ts'

ruleTables(csiNodes, {
  object: `
metadata: {name: default}
spec: {drivers: [{name: csi.example.com, nodeID: "n", topologyKeys: [zone], allocatable: {count: 5}}]}
`,
  create: [
    ['-spec.drivers[0].name', 'spec.drivers[0].name: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['spec.drivers[0] = null', 'spec.drivers[0].name: Required value', 'spec.drivers[0].nodeID: Required value'],
    ['spec.drivers[0].allocatable.count = -1', 'spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.drivers = [null, {name: csi.example.com, nodeID: "n", topologyKeys: [zone], allocatable: {count: 5}}]',
      'spec.drivers[0].name: Required value',
      'spec.drivers[0].nodeID: Required value',
    ],
    [
      'spec.drivers = [{name: csi.example.com, nodeID: "n", topologyKeys: [zone], allocatable: {count: 5}}, {name: csi.example.com, nodeID: "n", topologyKeys: [zone], allocatable: {count: 5}}]',
      'spec.drivers[1].name: Duplicate value: "csi.example.com"',
    ],
    [
      'spec.drivers[0].topologyKeys[0] = "Bad_Name!"',
      `spec.drivers[0]: Invalid value: "Bad_Name!": name part must consist of alphanumeric characters, …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.drivers[0].topologyKeys[0] = ""',
      'spec.drivers[0]: Required value',
      'spec.drivers[0]: Invalid value: "": name part must be non-empty',
      `spec.drivers[0]: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' …A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.drivers[0].topologyKeys[0] = a × 300',
      'spec.drivers[0]: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    ['spec.drivers = null'],
  ],
})
