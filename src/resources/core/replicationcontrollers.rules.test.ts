import { ruleTables } from '../rule-table.contract.ts'
import { replicationControllers } from './replicationcontrollers.ts'

ruleTables(replicationControllers, {
  object: `
metadata: {name: r}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/app:1"}]}
`,
  filled: [
    'metadata.labels = {app: web}',
    'spec.template.spec.containers[0].resources = {}',
    'spec.template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'spec.template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.template.spec.containers[0].terminationMessagePolicy = File',
    'spec.template.spec.restartPolicy = Always',
    'spec.template.spec.dnsPolicy = ClusterFirst',
    'spec.template.spec.schedulerName = default-scheduler',
    'spec.template.spec.terminationGracePeriodSeconds = 30',
    'spec.template.spec.securityContext = {}',
    'spec.selector = {app: web}',
    'spec.replicas = 1',
    'status = {replicas: 0}',
  ],
  create: [
    ['-spec.template.metadata', 'spec.selector: Required value'],
    ['-spec.template.spec.containers', 'spec.template.spec.containers: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.template.spec.containers[0].name', 'spec.template.spec.containers[0].name: Required value'],
    [
      'spec.template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'spec.template.spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      'spec.template.spec.containers[0].name = "Bad_Name!"',
      `spec.template.spec.containers[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label mu…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…st be no more than 253 bytes',
    ],
    [
      'spec.template.spec.containers[0].name = a × 300',
      'spec.template.spec.containers[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.template.metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
      'spec.template.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    ['spec.template.metadata.labels.app = ""', 'metadata.labels.app = ""', 'spec.selector.app = ""'],
  ],
  update: [
    ['spec.template.metadata = null', 'spec.selector: Required value'],
    ['-spec', 'spec.selector: Required value', 'spec.template: Required value'],
    ['spec.template.spec = null', 'spec.template.spec.containers: Required value'],
  ],
  status: [['metadata.labels = {changed: "yes"} && -spec.template', '-metadata.labels.app', 'metadata.labels.changed = "yes"']],
})

ruleTables(replicationControllers, {
  object: `
metadata: {name: r1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  replicas: 3
  minReadySeconds: 5
  selector: {app: web}
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
    ['-spec', 'spec.selector: Required value', 'spec.template: Required value'],
    ['-spec.template.spec.containers[0].image', 'spec.template.spec.containers[0].image: Required value'],
    ['-spec.template.metadata', 'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    ['-spec.template.metadata.labels.app', 'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.annotations[Bad Key!] = x',
      `metadata.annotations: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.template.metadata.labels[Bad Key!] = x',
      `spec.template.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.template.metadata.labels.key = "a b!"',
      `spec.template.labels: Invalid value: "a b!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
  update: [
    ['spec.replicas = -1', 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ['-spec.template.spec.containers[0].image', 'spec.template.spec.containers[0].image: Required value'],
    ['spec.template.spec.containers[0].name = ""', 'spec.template.spec.containers[0].name: Required value'],
    ['spec.minReadySeconds = -1', 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'spec.template.spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      'spec.template.spec.containers[0].name = "Bad_Name!"',
      `spec.template.spec.containers[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label mu…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.template.spec.containers[0].name = a × 300',
      'spec.template.spec.containers[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
  ],
})
