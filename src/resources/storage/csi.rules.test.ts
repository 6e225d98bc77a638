import { ruleTables } from '../rule-table.contract.ts'
import { csiDrivers, csiNodes, csiStorageCapacities } from './csi.ts'

ruleTables(csiDrivers, {
  object: `
metadata: {name: a.b}
spec: {}
`,
  filled: [
    'spec.attachRequired = true',
    'spec.podInfoOnMount = false',
    'spec.storageCapacity = false',
    'spec.fsGroupPolicy = ReadWriteOnceWithFSType',
    'spec.volumeLifecycleModes = [Persistent]',
    'spec.requiresRepublish = false',
    'spec.seLinuxMount = false',
  ],
  create: [
    [
      'spec.fsGroupPolicy = Odd',
      'spec.fsGroupPolicy: Unsupported value: "Odd": supported values: "File", "None", "ReadWriteOnceWithFSType"',
    ],
    ['spec.fsGroupPolicy = None'],
    ['spec.preventPodSchedulingIfMissing = true', '-spec.preventPodSchedulingIfMissing'],
    [
      'spec.volumeLifecycleModes = [Odd]',
      'spec.volumeLifecycleModes: Unsupported value: "Odd": supported values: "Persistent", "Ephemeral"',
    ],
    ['spec.volumeLifecycleModes = [Ephemeral, Persistent]'],
    ['spec.tokenRequests = [{audience: a}, {audience: a}]', 'spec.tokenRequests[1].audience: Duplicate value: "a"'],
    [
      'spec.tokenRequests = [{audience: a, expirationSeconds: 599}]',
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      'spec.tokenRequests = [{audience: a, expirationSeconds: 600}]',
      'warning: spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
    ],
    [
      'spec.tokenRequests = [{audience: a, expirationSeconds: 4294967296}]',
      'warning: spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
    ],
    [
      'spec.tokenRequests = [{audience: a, expirationSeconds: 4294967297}]',
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [
      'spec.nodeAllocatableUpdatePeriodSeconds = 9',
      'spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds',
    ],
    ['spec.nodeAllocatableUpdatePeriodSeconds = 10'],
    [
      'metadata.name = A.b',
      `metadata.name: Invalid value: "A.b": a lowercase RFC 1123 subdomain must consist of lower case alpha…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = "a b"',
      `metadata.name: Invalid value: "a b": a lowercase RFC 1123 subdomain must consist of lower case alpha…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
  ],
  update: [
    ['spec.tokenRequests = [{audience: a}] -> spec.podInfoOnMount = true', 'metadata.generation = 1', 'spec.podInfoOnMount = true'],
    [
      'spec.tokenRequests = [{audience: a}] -> spec.tokenRequests = [{audience: b}]',
      'warning: spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
      'metadata.generation = 1',
      'spec.tokenRequests[0].audience = b',
    ],
    ['spec.attachRequired = false', 'spec.attachedRequired: Invalid value: false: field is immutable'],
    [
      'spec.serviceAccountTokenInSecrets = false',
      'spec.serviceAccountTokenInSecrets: Invalid value: false: serviceAccountTokenInSecrets is set but no tokenRequests are specified',
    ],
    ['spec.volumeLifecycleModes = [Ephemeral]', 'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable'],
    ['spec.podInfoOnMount = true', 'metadata.generation = 1', 'spec.podInfoOnMount = true'],
    ['spec.storageCapacity = true', 'metadata.generation = 1', 'spec.storageCapacity = true'],
    ['metadata.labels.a = b', 'metadata.labels = {a: b}'],
    ['spec.fsGroupPolicy = None', 'metadata.generation = 1', 'spec.fsGroupPolicy = None'],
  ],
})

ruleTables(csiDrivers, {
  object: 'metadata: {name: a.b}\nspec: {}',
  gates: ['VolumeLimitScaling'],
  create: [['spec.preventPodSchedulingIfMissing = true']],
})

ruleTables(csiNodes, {
  object: `
metadata: {name: m}
spec: {drivers: [{name: a.b, nodeID: x}]}
`,
  create: [
    ['-spec.drivers', 'spec.drivers = null'],
    ['spec.drivers[0].name = ""', 'spec.drivers[0].name: Required value'],
    [
      'spec.drivers[0].name = "a b"',
      `spec.drivers[0].name: Invalid value: "a b": a lowercase RFC 1123 subdomain must consist of lower cas…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.drivers[0].nodeID = ""', 'spec.drivers[0].nodeID: Required value'],
    [
      'spec.drivers[0].nodeID = iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii',
    ],
    [
      'spec.drivers[0].nodeID = iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii',
      'spec.drivers[0].nodeID: Invalid value: "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii…iiiiiiiiiiiiiiiiiiiiiiiiiii": must be 256 characters or less',
    ],
    [
      'spec.drivers[0].allocatable = {count: -1}',
      'spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['spec.drivers[0].allocatable = {count: 0}'],
    ['spec.drivers[0].topologyKeys = [a, a]', 'spec.drivers[0]: Duplicate value: "a"'],
    [
      'spec.drivers[0].topologyKeys = [""]',
      'spec.drivers[0]: Required value',
      'spec.drivers[0]: Invalid value: "": name part must be non-empty',
      `spec.drivers[0]: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.drivers[0].topologyKeys = ["a b"]',
      `spec.drivers[0]: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' o…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    ['spec.drivers[0].topologyKeys = [a.b/c]'],
    ['spec.drivers[1] = {name: a.b, nodeID: z}', 'spec.drivers[1].name: Duplicate value: "a.b"'],
  ],
  update: [
    ['spec.drivers[0].allocatable = {count: 5}', 'spec.drivers[0].allocatable = {count: 5}'],
    [
      'spec.drivers[0].nodeID = z && spec.drivers[0].allocatable = {count: 5}',
      'spec.drivers: Invalid value: {"Name":"a.b","NodeID":"z","TopologyKeys":null,"Allocatable":null}: field is immutable',
    ],
    [
      'spec.drivers[0].nodeID = z',
      'spec.drivers: Invalid value: {"Name":"a.b","NodeID":"z","TopologyKeys":null,"Allocatable":null}: field is immutable',
    ],
    ['-spec.drivers[0]', 'spec.drivers = null'],
    [
      'spec.drivers[1] = {name: c.d, nodeID: z}',
      'spec.drivers = [{name: a.b, nodeID: x, topologyKeys: null}, {name: c.d, nodeID: z, topologyKeys: null}]',
    ],
    [
      'spec.drivers[0].topologyKeys = [k]',
      'spec.drivers: Invalid value: {"Name":"a.b","NodeID":"x","TopologyKeys":["k"],"Allocatable":null}: field is immutable',
    ],
  ],
})

ruleTables(csiStorageCapacities, {
  object: `
metadata: {name: a}
storageClassName: fast
capacity: 1Gi
`,
  create: [
    [
      'storageClassName = A',
      `storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alph…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      '-storageClassName',
      `storageClassName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alpha…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['capacity = -1', 'capacity: Invalid value: "-1": must be greater than or equal to 0'],
    ['-capacity'],
    [
      'nodeTopology = {matchLabels: {"a b": c}}',
      `nodeTopology.matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, '…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    ['nodeTopology = {matchLabels: {a: c}}'],
  ],
  update: [
    ['storageClassName = slow', 'storageClassName: Invalid value: "slow": field is immutable'],
    ['nodeTopology = {matchLabels: {a: b}}', 'nodeTopology: Invalid value: {"matchLabels":{"a":"b"}}: field is immutable'],
    [
      'nodeTopology = {matchLabels: {a: b}} -> nodeTopology = {matchLabels: {a: c}}',
      'nodeTopology: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable',
    ],
    ['capacity = 2Gi', 'capacity = "2Gi"'],
  ],
})
