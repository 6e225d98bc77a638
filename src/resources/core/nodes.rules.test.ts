import { ruleTables } from '../rule-table.contract.ts'
import { nodes } from './nodes.ts'

ruleTables(nodes, {
  object: `
metadata: {name: default, labels: {disk: ssd}}
spec:
  podCIDR: "10.9.0.0/24"
  podCIDRs: ["10.9.0.0/24"]
  providerID: "x://1"
  unschedulable: true
  taints: [{key: k, value: v, effect: NoSchedule}, {key: e, effect: NoExecute}]
status:
  capacity:
    cpu: "4"
    memory: "8Gi"
    pods: "110"
    ephemeral-storage: "100Gi"
    hugepages-2Mi: "0"
    example.com/dongle: "4"
    example.com/special-storage: "800Gi"
  allocatable: {cpu: "3500m", memory: "7Gi", pods: "110", example.com/dongle: "4"}
  conditions: [{type: Ready, status: "True", reason: KubeletReady, message: ok}]
  addresses: [{type: InternalIP, address: "10.0.0.9"}, {type: Hostname, address: h}]
  nodeInfo:
    architecture: amd64
    bootID: b
    containerRuntimeVersion: "containerd://2"
    kernelVersion: "6"
    kubeProxyVersion: ""
    kubeletVersion: v1.36.3
    machineID: m
    operatingSystem: linux
    osImage: o
    systemUUID: s
  images: [{names: ["a:1"], sizeBytes: 5}]
`,
  filled: [
    'status.conditions[0].lastHeartbeatTime = null',
    'status.conditions[0].lastTransitionTime = null',
    'status.daemonEndpoints = {kubeletEndpoint: {Port: 0}}',
  ],
  create: [
    ['spec.taints[1].effect = null', 'metadata.taints[1].effect: Required value'],
    ['metadata.name = ""', 'metadata.name: Required value: name or generateName is required'],
    ['status.allocatable[example.com/dongle] = 0.5', 'status.allocatable.example.com/dongle: Invalid value: "500m": must be an integer'],
    [
      'spec.podCIDR = "Bad_Name!"',
      'spec.podCIDRs[0]: Invalid value: "Bad_Name!": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
    [
      'spec.taints[1].effect = "Bad_Name!"',
      'metadata.taints[1].effect: Unsupported value: "Bad_Name!": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
    [
      'spec.podCIDRs = ["10.9.0.0/24", "10.9.0.0/24"]',
      'spec.podCIDRs: Invalid value: ["10.9.0.0/24","10.9.0.0/24"]: may specify no more than one CIDR for each IP family',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.taints[0] = null',
      'metadata.taints[0].key: Invalid value: "": name part must be non-empty',
      `metadata.taints[0].key: Invalid value: "": name part must consist of alphanumeric characters, '-…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'metadata.taints[0].effect: Required value',
    ],
    ['-spec.taints'],
    [
      '-metadata.labels && -spec && -status',
      'spec = {}',
      'status = {daemonEndpoints: {kubeletEndpoint: {Port: 0}}, nodeInfo: {machineID: "", systemUUID: "…stem: "", architecture: ""}}',
    ],
  ],
  update: [
    ['-spec.taints[1].effect', 'metadata.taints[1].effect: Required value', 'metadata.taints[1].effect: Required value'],
    ['spec.externalID = x', 'spec.externalID: Forbidden: may not be updated'],
    ['spec.providerID = "x://1x"', 'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
    [
      'spec.podCIDR = "10.9.0.0/24x"',
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.podCIDRs[0]: Invalid value: "10.9.0.0/24x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
    [
      'spec.taints[0].effect = "Bad_Name!"',
      'metadata.taints[0].effect: Unsupported value: "Bad_Name!": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'metadata.taints[0].effect: Unsupported value: "Bad_Name!": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
    [
      'spec.taints[0].key = null',
      'metadata.taints[0].key: Invalid value: "": name part must be non-empty',
      `metadata.taints[0].key: Invalid value: "": name part must consist of alphanumeric characters, '-…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'metadata.taints[0].key: Invalid value: "": name part must be non-empty',
      `metadata.taints[0].key: Invalid value: "": name part must consist of alphanumeric characters, '-…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.taints[1].key = a × 300',
      'metadata.taints[1].key: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
      'metadata.taints[1].key: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    ['-status'],
  ],
})
