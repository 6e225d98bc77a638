import { ruleTables } from '../rule-table.contract.ts'
import { replicaSets } from './replicasets.ts'

ruleTables(replicaSets, {
  object: `
metadata: {name: r}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/app:1"}]}
`,
  filled: [
    'spec.template.spec.containers[0].resources = {}',
    'spec.template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'spec.template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.template.spec.containers[0].terminationMessagePolicy = File',
    'spec.template.spec.restartPolicy = Always',
    'spec.template.spec.dnsPolicy = ClusterFirst',
    'spec.template.spec.schedulerName = default-scheduler',
    'spec.template.spec.terminationGracePeriodSeconds = 30',
    'spec.template.spec.securityContext = {}',
    'spec.replicas = 1',
    'status = {replicas: 0}',
  ],
  create: [
    ['-spec.template.spec.containers[0].name', 'spec.template.spec.containers[0].name: Required value'],
    ['-spec.selector.matchLabels', 'spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    ['spec.template.metadata = null', 'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    [
      '-spec.selector',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    [
      'spec.template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'spec.template.spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.template.spec.containers[0].name = a × 300',
      'spec.template.spec.containers[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.selector.matchLabels.app = a × 300',
      'spec.selector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
      'spec.selector: Invalid value: {"matchLabels":{"app":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…a"}}: invalid label selector',
    ],
  ],
  update: [
    ['spec.template.spec.containers[0].name = null', 'spec.template.spec.containers[0].name: Required value'],
    ['spec.template.spec.containers[0].image = ""', 'spec.template.spec.containers[0].image: Required value'],
    ['-spec.template.metadata.labels.app', 'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
    [
      '-spec.selector.matchLabels',
      'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
      'spec.selector: Invalid value: {}: field is immutable',
    ],
    [
      'spec.template.metadata.labels.key = "a b!"',
      `spec.template.labels: Invalid value: "a b!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.selector.matchLabels[Bad Key!] = x',
      `spec.selector.matchLabels: Invalid value: "Bad Key!": name part must consist of alphanumeric cha…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.selector: Invalid value: {"matchLabels":{"Bad Key!":"x","app":"web"}}: invalid label selector',
      'spec.selector: Invalid value: {"matchLabels":{"Bad Key!":"x","app":"web"}}: field is immutable',
    ],
  ],
})

ruleTables(replicaSets, {
  object: `
metadata: {name: r1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  replicas: 0
  minReadySeconds: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/app:1"}]}
`,
  filled: [
    'spec.template.spec.containers[0].resources = {}',
    'spec.template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'spec.template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.template.spec.containers[0].terminationMessagePolicy = File',
    'spec.template.spec.restartPolicy = Always',
    'spec.template.spec.dnsPolicy = ClusterFirst',
    'spec.template.spec.schedulerName = default-scheduler',
    'spec.template.spec.terminationGracePeriodSeconds = 30',
    'spec.template.spec.securityContext = {}',
    'status = {replicas: 0}',
  ],
  create: [
    ['-spec.template.spec', 'spec.template.spec.containers: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['spec.replicas = -1', 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ['-spec.template.spec.containers[0].image', 'spec.template.spec.containers[0].image: Required value'],
    ['spec.minReadySeconds = -1', 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    ['-spec.template.metadata.labels.app', 'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.template.metadata.labels[Bad Key!] = x',
      `spec.template.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.template.metadata.labels.key = "a b!"',
      `spec.template.labels: Invalid value: "a b!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.selector.matchLabels[Bad Key!] = x',
      `spec.selector.matchLabels: Invalid value: "Bad Key!": name part must consist of alphanumeric cha…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.selector: Invalid value: {"matchLabels":{"Bad Key!":"x","app":"web"}}: invalid label selector',
    ],
    [
      'spec.selector.matchLabels.key = "a b!"',
      `spec.selector.matchLabels: Invalid value: "a b!": a valid label must be an empty string or consi…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec.selector: Invalid value: {"matchLabels":{"app":"web","key":"a b!"}}: invalid label selector',
    ],
    [
      'spec.template.metadata.labels.app = a × 300',
      'spec.template.metadata.labels: Invalid value: {"app":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… not match template `labels`',
      'spec.template.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    ['spec.replicas = 70000'],
  ],
  update: [
    ['-spec.template.spec', 'spec.template.spec.containers: Required value'],
    ['spec.replicas = -1', 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.minReadySeconds = -1', 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    ['-spec.template.metadata', 'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    [
      '-spec.selector',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
    ],
    [
      'spec.template.metadata.labels[Bad Key!] = x',
      `spec.template.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.selector.matchLabels.app = "Bad_Name!"',
      `spec.selector.matchLabels: Invalid value: "Bad_Name!": a valid label must be an empty string or …Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec.selector: Invalid value: {"matchLabels":{"app":"Bad_Name!"}}: invalid label selector',
      'spec.selector: Invalid value: {"matchLabels":{"app":"Bad_Name!"}}: field is immutable',
    ],
    [
      'spec.template.metadata.labels.app = a × 300',
      'spec.template.metadata.labels: Invalid value: {"app":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… not match template `labels`',
      'spec.template.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
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
    ['metadata.labels = null', '-metadata.labels'],
  ],
  status: [
    [
      '-metadata.labels.app && -metadata.labels[example.com/tier] && metadata.labels.changed = "yes" && -spec.replicas && -spec.minReadySeconds && -spec.selector && -spec.template',
      '-metadata.labels.app',
      '-metadata.labels[example.com/tier]',
      'metadata.labels.changed = "yes"',
    ],
  ],
})
