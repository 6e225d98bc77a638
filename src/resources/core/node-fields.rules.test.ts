import { ruleTables } from '../rule-table.contract.ts'
import { nodes } from './nodes.ts'

ruleTables(nodes, {
  object: `
metadata: {name: m}
spec: {}
`,
  create: [
    ['spec.podCIDR = 10.0.0.0/24', 'spec.podCIDRs = ["10.0.0.0/24"]'],
    ['spec.podCIDRs = [10.0.0.0/24]', 'spec.podCIDR = "10.0.0.0/24"'],
    ['spec.podCIDR = 10.0.0.0/24 && spec.podCIDRs = [10.1.0.0/24]', 'spec.podCIDRs[0] = "10.0.0.0/24"'],
    ['spec.podCIDRs = [10.0.0.0/24, "fd00::/64"]', 'spec.podCIDR = "10.0.0.0/24"'],
    [
      'spec.podCIDRs = [10.0.0.0/24, 10.1.0.0/24]',
      'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one CIDR for each IP family',
    ],
    [
      'spec.podCIDRs = [10.0.0.0/24, "fd00::/64", "fd01::/64"]',
      'spec.podCIDRs: Invalid value: ["10.0.0.0/24","fd00::/64","fd01::/64"]: may specify no more than one CIDR for each IP family',
    ],
    ['spec.podCIDRs = [x]', 'spec.podCIDRs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
    [
      'spec.podCIDRs = [10.0.0.0/24, x]',
      'spec.podCIDRs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)',
      'spec.podCIDRs: Invalid value: ["10.0.0.0/24","x"]: may specify no more than one CIDR for each IP family',
    ],
    ['spec.taints = [{key: k, effect: NoSchedule}]'],
    [
      'spec.taints = [{key: "a b", effect: NoSchedule}]',
      `metadata.taints[0].key: Invalid value: "a b": name part must consist of alphanumeric characters, '-'…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.taints = [{key: k, value: "a b", effect: NoSchedule}]',
      `metadata.taints[0].value: Invalid value: "a b": a valid label must be an empty string or consist of …validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    ['spec.taints = [{key: k}]', 'metadata.taints[0].effect: Required value'],
    [
      'spec.taints = [{key: k, effect: Odd}]',
      'metadata.taints[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
    [
      'spec.taints = [{key: k, effect: NoSchedule}, {key: k, value: v, effect: NoSchedule}]',
      'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"v","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
    ],
    ['spec.taints = [{key: k, effect: NoSchedule}, {key: k, effect: NoExecute}]'],
    ['status.capacity = {cpu: 1}', 'status.capacity.cpu = "1"', 'status.allocatable = {cpu: "1"}'],
    [
      'status.capacity = {cpu: -1}',
      'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
      'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
    ],
    [
      'status.capacity = {pods: 1500m}',
      'status.capacity.pods: Invalid value: "1500m": must be an integer',
      'status.allocatable.pods: Invalid value: "1500m": must be an integer',
    ],
    [
      'status.capacity = {a.b/gpu: 1500m}',
      'status.capacity.a.b/gpu: Invalid value: "1500m": must be an integer',
      'status.allocatable.a.b/gpu: Invalid value: "1500m": must be an integer',
    ],
    ['status.capacity = {cpu: 1500m}', 'status.allocatable = {cpu: "1500m"}'],
    [
      'status.capacity = {cpu: 1} && status.allocatable = {cpu: -1}',
      'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
    ],
    ['status.declaredFeatures = [A, B]'],
    ['status.declaredFeatures = [B, A]', 'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically'],
    ['status.declaredFeatures = [A, A]', 'status.declaredFeatures[1]: Duplicate value: "A"'],
    [
      'status.declaredFeatures = [a]',
      'status.declaredFeatures[0]: Invalid value: "a": invalid feature name "a": must start with an UpperCa…ature), and contain only alphanumeric characters and slashes',
    ],
    [
      `status.declaredFeatures = [${'a'.repeat(254)}]`,
      `status.declaredFeatures[0]: Invalid value: "${'a'.repeat(254)}": invalid feature name "${'a'.repeat(254)}": must be no more than 253 characters`,
    ],
    [
      'status.declaredFeatures = [A/b, "A/"]',
      'status.declaredFeatures[1]: Invalid value: "A/": list must be sorted alphabetically',
      'status.declaredFeatures[1]: Invalid value: "A/": invalid feature name "A/": must start with an Upper…ature), and contain only alphanumeric characters and slashes',
    ],
    ['spec.configSource = {configMap: {name: c, namespace: s, kubeletConfigKey: k}}', '-spec.configSource'],
    ['spec.externalID = x', 'warning: spec.externalID: this field is deprecated, and is unused by Kubernetes'],
  ],
  update: [
    ['spec.podCIDR = 10.0.0.0/24', 'spec.podCIDR = "10.0.0.0/24"', 'spec.podCIDRs = ["10.0.0.0/24"]'],
    [
      'spec.podCIDRs = [10.0.0.0/24] -> spec.podCIDRs = [10.1.0.0/24] && spec.podCIDR = 10.1.0.0/24',
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    ],
    [
      'spec.podCIDRs = [10.0.0.0/24] -> -spec.podCIDRs',
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    ],
    ['spec.podCIDRs = [10.0.0.0/24] -> spec.unschedulable = true', 'spec.unschedulable = true'],
    ['spec.providerID = a', 'spec.providerID = a'],
    [
      'spec.providerID = a -> spec.providerID = b',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ],
    [
      'spec.providerID = a -> -spec.providerID',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ],
    [
      'spec.taints = [{key: k, effect: Odd}]',
      'metadata.taints[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'metadata.taints[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
    [
      'status.addresses = [{type: A, address: x}, {type: A, address: x}] -> spec.unschedulable = true',
      'status.addresses[1]: Duplicate value: {"Type":"A","Address":"x"}',
    ],
    ['status.addresses = [{type: A, address: x}, {type: B, address: x}] -> spec.unschedulable = true', 'spec.unschedulable = true'],
  ],
  status: [
    ['status.capacity = {cpu: 1}', 'status.capacity = {cpu: "1"}', 'status.allocatable = {cpu: "1"}'],
    [
      'status.capacity = {cpu: -1}',
      'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
      'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
    ],
    [
      'status.addresses = [{type: A, address: x}, {type: A, address: x}]',
      'status.addresses[1]: Duplicate value: {"Type":"A","Address":"x"}',
    ],
    ['status.config = {error: e}'],
    ['spec.unschedulable = true && status.phase = Running', 'status.phase = Running'],
  ],
})
