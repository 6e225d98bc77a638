import { ruleTables } from '../rule-table.contract.ts'
import { resourceQuotas } from './resourcequotas.ts'

ruleTables(resourceQuotas, {
  object: `
metadata: {name: q}
`,
  filled: ['spec = {}', 'status = {}'],
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

ruleTables(resourceQuotas, {
  object: `
metadata: {name: q2, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec: {hard: {pods: "4"}, scopes: [BestEffort, NotTerminating]}
`,
  filled: ['status = {}'],
  create: [
    ['spec.hard.pods = 0.5', 'spec.hard[pods]: Invalid value: "500m": must be an integer'],
    ['spec.scopes[1] = ""', 'spec.scopes: Invalid value: ["BestEffort",""]: unsupported scope'],
    ['spec.hard.pods = "-1"', 'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0'],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
  update: [
    ['-spec', 'spec.scopes: Invalid value: null: field is immutable'],
    ['spec.scopes = []', 'spec.scopes: Invalid value: []: field is immutable'],
    ['spec.hard.pods = 0.5', 'spec.hard[pods]: Invalid value: "500m": must be an integer'],
    ['spec.hard.pods = "-1"', 'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0'],
    [
      'spec.scopes[1] = ""',
      'spec.scopes: Invalid value: ["BestEffort",""]: unsupported scope',
      'spec.scopes: Invalid value: ["BestEffort",""]: field is immutable',
    ],
    [
      'spec.hard.key = 5',
      'spec.hard[key]: Invalid value: "key": must be a standard resource type or fully qualified',
      'spec.hard[key]: Invalid value: "key": must be a standard resource for quota',
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
  status: [
    [
      '-metadata.labels.app && -metadata.labels[example.com/tier] && metadata.labels.changed = "yes" && -spec.hard && -spec.scopes',
      '-metadata.labels.app',
      '-metadata.labels[example.com/tier]',
      'metadata.labels.changed = "yes"',
    ],
  ],
})

ruleTables(resourceQuotas, {
  object: `
metadata: {name: q1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  hard:
    pods: "10"
    requests.cpu: "4"
    limits.memory: "8Gi"
    count/deployments.apps: "5"
    requests.example.com/dongle: "4"
    services.nodeports: "2"
    requests.storage: "100Gi"
  scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}
`,
  filled: ['status = {}'],
  create: [
    [
      '-spec.hard[requests.storage]',
      'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityC…ed scope applied to resource',
    ],
    [
      'spec.hard.key = 5',
      'spec.hard[key]: Invalid value: "key": must be a standard resource type or fully qualified',
      'spec.hard[key]: Invalid value: "key": must be a standard resource for quota',
      'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityC…ed scope applied to resource',
      'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"PriorityC…ed scope applied to resource',
    ],
    ['-spec.hard'],
  ],
})

ruleTables(resourceQuotas, {
  object: `
metadata: {name: q}
spec: {hard: {requests.memory: 1Gi, limits.memory: 2Gi}}
`,
  create: [
    [
      'spec.hard = {requests.memory: 1Gi, memory: "1", limits.memory: 1Mi}',
      'warning: ResourceQuota requests.memory (1Gi) should be less than limits.memory (1Mi)',
    ],
    ['spec.hard = {cpu: "2", limits.cpu: "1"}', 'warning: ResourceQuota cpu (2) should be less than limits.cpu (1)'],
  ],
  update: [['spec.hard[limits.memory] = 1Mi', 'spec.hard[limits.memory] = "1Mi"']],
})
