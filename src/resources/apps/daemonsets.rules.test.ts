import { ruleTables } from '../rule-table.contract.ts'
import { daemonSets } from './daemonsets.ts'

ruleTables(daemonSets, {
  object: `
metadata: {name: d}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/app:1"}]}
`,
  filled: [
    'metadata.annotations = {deprecated.daemonset.template.generation: "1"}',
    'spec.template.spec.containers[0].resources = {}',
    'spec.template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'spec.template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.template.spec.containers[0].terminationMessagePolicy = File',
    'spec.template.spec.restartPolicy = Always',
    'spec.template.spec.dnsPolicy = ClusterFirst',
    'spec.template.spec.schedulerName = default-scheduler',
    'spec.template.spec.terminationGracePeriodSeconds = 30',
    'spec.template.spec.securityContext = {}',
    'spec.updateStrategy = {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}',
    'spec.revisionHistoryLimit = 10',
    'status = {currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0}',
  ],
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.template.spec.containers[0].image', 'spec.template.spec.containers[0].image: Required value'],
    ['-spec.selector.matchLabels', 'spec.selector: Invalid value: {}: empty selector is invalid for daemonset'],
    ['-spec.template.metadata', 'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    [
      'spec.template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'spec.template.spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      'spec.selector.matchLabels[Bad Key!] = x',
      `spec.selector.matchLabels: Invalid value: "Bad Key!": name part must consist of alphanumeric cha…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.template.spec.containers[0].name = "Bad_Name!"',
      `spec.template.spec.containers[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label mu…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.template.metadata.labels.key = "a b!"',
      `spec.template.labels: Invalid value: "a b!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.selector.matchLabels.key = "a b!"',
      `spec.selector.matchLabels: Invalid value: "a b!": a valid label must be an empty string or consi…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.selector.matchLabels.app = a × 300',
      'spec.selector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.template.spec.containers[0].name = a × 300',
      'spec.template.spec.containers[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.template.metadata.labels.app = a × 300',
      'spec.template.metadata.labels: Invalid value: {"app":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… not match template `labels`',
      'spec.template.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
  update: [
    ['-spec.template.spec', 'spec.template.spec.containers: Required value'],
    ['-spec.template.spec.containers[0].image', 'spec.template.spec.containers[0].image: Required value'],
    ['spec.template.spec.containers[0].name = ""', 'spec.template.spec.containers[0].name: Required value'],
    [
      '-spec.selector.matchLabels',
      'spec.selector: Invalid value: {}: field is immutable',
      'spec.selector: Invalid value: {}: empty selector is invalid for daemonset',
    ],
    [
      'spec.template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'spec.template.spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      '-spec',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
      'spec.template.spec.containers: Required value',
    ],
    [
      'spec.template.metadata.labels.key = "a b!"',
      `spec.template.labels: Invalid value: "a b!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.selector.matchLabels[Bad Key!] = x',
      'spec.selector: Invalid value: {"matchLabels":{"Bad Key!":"x","app":"web"}}: field is immutable',
      `spec.selector.matchLabels: Invalid value: "Bad Key!": name part must consist of alphanumeric cha…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.template.metadata.labels.app = a × 300',
      'spec.template.metadata.labels: Invalid value: {"app":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… not match template `labels`',
      'spec.template.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
  status: [['metadata.labels = {changed: "yes"} && -spec.selector && -spec.template', 'metadata.labels = {changed: "yes"}']],
})

ruleTables(daemonSets, {
  object: `
metadata: {name: d1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 0, maxSurge: "10%"}}
  minReadySeconds: 1
  revisionHistoryLimit: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/app:1"}]}
`,
  filled: [
    'metadata.annotations[deprecated.daemonset.template.generation] = "1"',
    'spec.template.spec.containers[0].resources = {}',
    'spec.template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'spec.template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.template.spec.containers[0].terminationMessagePolicy = File',
    'spec.template.spec.restartPolicy = Always',
    'spec.template.spec.dnsPolicy = ClusterFirst',
    'spec.template.spec.schedulerName = default-scheduler',
    'spec.template.spec.terminationGracePeriodSeconds = 30',
    'spec.template.spec.securityContext = {}',
    'status = {currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0}',
  ],
  create: [
    ['-spec.template.spec', 'spec.template.spec.containers: Required value'],
    ['-spec.template.spec.containers[0].name', 'spec.template.spec.containers[0].name: Required value'],
    ['spec.minReadySeconds = -1', 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.revisionHistoryLimit = -1', 'spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0'],
    ['-spec.selector', 'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    [
      '-spec.updateStrategy.rollingUpdate.maxSurge',
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
    [
      '-spec.updateStrategy.rollingUpdate.maxUnavailable',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "10%": may not be set when maxUnavailable is non-zero',
    ],
    [
      'spec.updateStrategy.type = "Bad_Name!"',
      'spec.updateStrategy: Unsupported value: {"Type":"Bad_Name!","RollingUpdate":{"MaxUnavailable":0,… "RollingUpdate", "OnDelete"',
    ],
    [
      'spec.updateStrategy.rollingUpdate.maxUnavailable = abc',
      `spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "abc": a valid percent string m…for validation is '[0-9]+%')`,
    ],
    [
      'spec.updateStrategy.rollingUpdate.maxUnavailable = -1',
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "10%": may not be set when maxUnavailable is non-zero',
    ],
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
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.updateStrategy.rollingUpdate.maxSurge = ""',
      `spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "": a valid percent string must be a …for validation is '[0-9]+%')`,
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
  update: [
    ['-spec.template.metadata.labels', 'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    ['-spec.template.metadata.labels.app', 'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
    [
      '-spec.updateStrategy.rollingUpdate.maxSurge',
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
    [
      'spec.updateStrategy.rollingUpdate.maxUnavailable = null',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "10%": may not be set when maxUnavailable is non-zero',
    ],
    [
      'spec.updateStrategy.type = "Bad_Name!"',
      'spec.updateStrategy: Unsupported value: {"Type":"Bad_Name!","RollingUpdate":{"MaxUnavailable":0,… "RollingUpdate", "OnDelete"',
    ],
    [
      'spec.updateStrategy.rollingUpdate.maxUnavailable = abc',
      `spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "abc": a valid percent string m…for validation is '[0-9]+%')`,
    ],
    [
      'spec.updateStrategy.rollingUpdate.maxUnavailable = -1',
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "10%": may not be set when maxUnavailable is non-zero',
    ],
    [
      'spec.template.metadata.labels[Bad Key!] = x',
      `spec.template.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.template.spec.containers[0].name = "Bad_Name!"',
      `spec.template.spec.containers[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label mu…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.updateStrategy.rollingUpdate.maxSurge = "Bad_Name!"',
      `spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "Bad_Name!": a valid percent string m…for validation is '[0-9]+%')`,
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
    [
      'spec.template.spec.containers[0].name = a × 300',
      'spec.template.spec.containers[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.selector.matchLabels.app = "Bad_Name!"',
      'spec.selector: Invalid value: {"matchLabels":{"app":"Bad_Name!"}}: field is immutable',
      `spec.selector.matchLabels: Invalid value: "Bad_Name!": a valid label must be an empty string or …Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
})
