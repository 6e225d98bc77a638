import { ruleTables } from '../rule-table.contract.ts'
import { deployments } from './deployments.ts'

ruleTables(deployments, {
  object: `
metadata: {name: d}
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
    'spec.strategy = {type: RollingUpdate, rollingUpdate: {maxUnavailable: "25%", maxSurge: "25%"}}',
    'spec.replicas = 1',
    'spec.revisionHistoryLimit = 10',
    'spec.progressDeadlineSeconds = 600',
    'status = {}',
  ],
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.template.spec.containers[0].name', 'spec.template.spec.containers[0].name: Required value'],
    ['-spec.selector.matchLabels', 'spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    [
      'spec.template.spec.containers[0].name = "Bad_Name!"',
      `spec.template.spec.containers[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label mu…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
  ],
  update: [
    [
      'spec.template.metadata.labels.key = "a b!"',
      `spec.template.labels: Invalid value: "a b!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ],
  status: [['metadata.labels = {changed: "yes"} && -spec.selector && -spec.template']],
})

ruleTables(deployments, {
  object: `
metadata: {name: d2, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  strategy: {type: Recreate}
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
    'spec.revisionHistoryLimit = 10',
    'spec.progressDeadlineSeconds = 600',
    'status = {}',
  ],
  create: [
    ['-spec.template.metadata', 'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    ['-spec.template.metadata.labels.app', 'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
    [
      '-spec.selector',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    [
      'spec.strategy.type = Recreatex',
      'spec.strategy: Unsupported value: {"Type":"Recreatex","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
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
      'spec.template.metadata.labels.key = "a b!"',
      `spec.template.labels: Invalid value: "a b!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
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
      'spec.selector.matchLabels.app = a × 300',
      'spec.selector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
      'spec.selector: Invalid value: {"matchLabels":{"app":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…a"}}: invalid label selector',
    ],
  ],
  update: [
    ['spec.template.spec = null', 'spec.template.spec.containers: Required value'],
    ['-spec.template.spec.containers[0].name', 'spec.template.spec.containers[0].name: Required value'],
    ['-spec.template.spec.containers[0].image', 'spec.template.spec.containers[0].image: Required value'],
    ['-spec.template.metadata.labels.app', 'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
    [
      'spec.strategy.type = Recreatex',
      'spec.strategy: Unsupported value: {"Type":"Recreatex","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
    [
      '-spec.selector.matchLabels',
      'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
      'spec.selector: Invalid value: {}: field is immutable',
    ],
    [
      'spec.template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'spec.template.spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      '-spec.selector',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
    ],
    [
      'spec.template.spec.containers[0].name = "Bad_Name!"',
      `spec.template.spec.containers[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label mu…z0-9]([-a-z0-9]*[a-z0-9])?')`,
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
})

ruleTables(deployments, {
  object: `
metadata: {name: d1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  replicas: 2
  minReadySeconds: 3
  revisionHistoryLimit: 4
  progressDeadlineSeconds: 100
  paused: true
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: "25%", maxUnavailable: 1}}
  selector: {matchLabels: {app: web}, matchExpressions: [{key: app, operator: In, values: [web]}]}
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
    'status = {}',
  ],
  create: [
    ['-spec.template.spec', 'spec.template.spec.containers: Required value'],
    ['spec.replicas = -1', 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ['-spec.template.spec.containers[0].image', 'spec.template.spec.containers[0].image: Required value'],
    ['spec.minReadySeconds = -1', 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.revisionHistoryLimit = -1', 'spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.minReadySeconds = 70000', 'spec.progressDeadlineSeconds: Invalid value: 100: must be greater than minReadySeconds'],
    [
      'spec.strategy.rollingUpdate.maxUnavailable = -1',
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'spec.template.spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      'spec.progressDeadlineSeconds = -1',
      'spec.progressDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds',
    ],
    [
      'spec.strategy.rollingUpdate.maxSurge = ""',
      `spec.strategy.rollingUpdate.maxSurge: Invalid value: "": a valid percent string must be a numeri…for validation is '[0-9]+%')`,
    ],
    [
      'spec.strategy.rollingUpdate.maxUnavailable = "7"',
      `spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "7": a valid percent string must be a…for validation is '[0-9]+%')`,
    ],
    [
      '-spec.selector.matchExpressions[0].operator',
      'spec.selector.matchExpressions[0].operator: Invalid value: "": not a valid selector operator',
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","ope…]}]}: invalid label selector',
    ],
    [
      '-spec.selector.matchExpressions[0].values',
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","ope…"}]}: invalid label selector',
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
      'spec.selector.matchExpressions[0].values[0] = "Bad_Name!"',
      `spec.selector.matchExpressions[0].values[0]: Invalid value: "Bad_Name!": a valid label must be a…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","ope…]}]}: invalid label selector',
    ],
    [
      '-spec.selector.matchExpressions[0].key',
      'spec.selector.matchExpressions[0].key: Invalid value: "": name part must be non-empty',
      `spec.selector.matchExpressions[0].key: Invalid value: "": name part must consist of alphanumeric…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"","operat…]}]}: invalid label selector',
    ],
    [
      'spec.template.metadata.labels.app = a × 300',
      'spec.template.metadata.labels: Invalid value: {"app":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… not match template `labels`',
      'spec.template.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.selector.matchExpressions[0].key = a × 300',
      'spec.selector.matchExpressions[0].key: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"aaaaaaaaa…]}]}: invalid label selector',
    ],
    [
      'spec.selector.matchExpressions[0].values[0] = a × 300',
      'spec.selector.matchExpressions[0].values[0]: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","ope…]}]}: invalid label selector',
    ],
  ],
  update: [
    ['-spec.selector.matchExpressions', 'spec.selector: Invalid value: {"matchLabels":{"app":"web"}}: field is immutable'],
    ['-spec.template.metadata', 'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    [
      'spec.strategy.rollingUpdate.maxUnavailable = -1',
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      '-spec.selector.matchLabels',
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"In","values":["web"]}]}: field is immutable',
    ],
    [
      'spec.strategy.rollingUpdate.maxSurge = "25%x"',
      `spec.strategy.rollingUpdate.maxSurge: Invalid value: "25%x": a valid percent string must be a nu…for validation is '[0-9]+%')`,
    ],
    [
      'spec.strategy.rollingUpdate.maxUnavailable = "7"',
      `spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "7": a valid percent string must be a…for validation is '[0-9]+%')`,
    ],
    [
      '-spec.selector.matchExpressions[0].values',
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","ope…"}]}: invalid label selector',
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","ope…:"In"}]}: field is immutable',
    ],
    [
      'spec.selector.matchExpressions[0].operator = null',
      'spec.selector.matchExpressions[0].operator: Invalid value: "": not a valid selector operator',
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","ope…]}]}: invalid label selector',
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","ope…web"]}]}: field is immutable',
    ],
    [
      'spec.selector.matchExpressions[0].values[0] = "Bad_Name!"',
      `spec.selector.matchExpressions[0].values[0]: Invalid value: "Bad_Name!": a valid label must be a…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","ope…]}]}: invalid label selector',
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","ope…me!"]}]}: field is immutable',
    ],
    [
      'spec.selector.matchExpressions[0].key = ""',
      'spec.selector.matchExpressions[0].key: Invalid value: "": name part must be non-empty',
      `spec.selector.matchExpressions[0].key: Invalid value: "": name part must consist of alphanumeric…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"","operat…]}]}: invalid label selector',
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"","operat…web"]}]}: field is immutable',
    ],
  ],
})
