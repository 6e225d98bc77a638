import { ruleTables } from '../rule-table.contract.ts'
import { cronJobs } from './cronjobs.ts'

ruleTables(cronJobs, {
  object: `
metadata: {name: c}
spec:
  schedule: "* * * * *"
  jobTemplate:
    spec:
      template:
        metadata: {labels: {a: b}}
        spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/app:1"}]}
`,
  filled: [
    'spec.jobTemplate.spec.template.spec.containers[0].resources = {}',
    'spec.jobTemplate.spec.template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'spec.jobTemplate.spec.template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.jobTemplate.spec.template.spec.containers[0].terminationMessagePolicy = File',
    'spec.jobTemplate.spec.template.spec.dnsPolicy = ClusterFirst',
    'spec.jobTemplate.spec.template.spec.schedulerName = default-scheduler',
    'spec.jobTemplate.spec.template.spec.terminationGracePeriodSeconds = 30',
    'spec.jobTemplate.spec.template.spec.securityContext = {}',
    'spec.jobTemplate.metadata = {}',
    'spec.concurrencyPolicy = Allow',
    'spec.suspend = false',
    'spec.successfulJobsHistoryLimit = 3',
    'spec.failedJobsHistoryLimit = 1',
    'status = {}',
  ],
  create: [
    [
      'spec.jobTemplate.spec.template.metadata.labels[Bad Key!] = x',
      `spec.jobTemplate.spec.template.labels: Invalid value: "Bad Key!": name part must consist of alph…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.jobTemplate.spec.template.metadata.labels.a = a × 300',
      'spec.jobTemplate.spec.template.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
  ],
  update: [
    [
      'spec.jobTemplate.spec.template.spec.containers[0].name = ""',
      'spec.jobTemplate.spec.template.spec.containers[0].name: Required value',
    ],
    [
      'spec.jobTemplate.spec.template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'spec.jobTemplate.spec.template.spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      'spec.jobTemplate.spec.template.spec.containers[0].name = "Bad_Name!"',
      `spec.jobTemplate.spec.template.spec.containers[0].name: Invalid value: "Bad_Name!": a lowercase …z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      '-spec.jobTemplate.spec.template.spec.containers[0].name && -spec.jobTemplate.spec.template.spec.containers[0].image',
      'spec.jobTemplate.spec.template.spec.containers[0].name: Required value',
      'spec.jobTemplate.spec.template.spec.containers[0].image: Required value',
    ],
  ],
  status: [['metadata.labels = {changed: "yes"} && -spec.schedule && -spec.jobTemplate', 'metadata.labels = {changed: "yes"}']],
})

ruleTables(cronJobs, {
  object: `
metadata: {name: c1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  schedule: "*/5 1-3 * JAN mon"
  timeZone: Etc/UTC
  startingDeadlineSeconds: 10
  concurrencyPolicy: Forbid
  suspend: true
  successfulJobsHistoryLimit: 1
  failedJobsHistoryLimit: 2
  jobTemplate:
    metadata: {labels: {a: b}}
    spec:
      template:
        metadata: {labels: {a: b}}
        spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/app:1"}]}
`,
  filled: [
    'spec.jobTemplate.spec.template.spec.containers[0].resources = {}',
    'spec.jobTemplate.spec.template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'spec.jobTemplate.spec.template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.jobTemplate.spec.template.spec.containers[0].terminationMessagePolicy = File',
    'spec.jobTemplate.spec.template.spec.dnsPolicy = ClusterFirst',
    'spec.jobTemplate.spec.template.spec.schedulerName = default-scheduler',
    'spec.jobTemplate.spec.template.spec.terminationGracePeriodSeconds = 30',
    'spec.jobTemplate.spec.template.spec.securityContext = {}',
    'status = {}',
  ],
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['spec.jobTemplate.spec.template.spec.containers = []', 'spec.jobTemplate.spec.template.spec.containers: Required value'],
    ['spec.failedJobsHistoryLimit = -1', 'spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.successfulJobsHistoryLimit = -1', 'spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0'],
    ['-spec.jobTemplate.spec.template.spec.containers[0].name', 'spec.jobTemplate.spec.template.spec.containers[0].name: Required value'],
    ['-spec.jobTemplate.spec.template.spec.containers[0].image', 'spec.jobTemplate.spec.template.spec.containers[0].image: Required value'],
    [
      '-spec.jobTemplate',
      'spec.jobTemplate.spec.template.spec.containers: Required value',
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    [
      '-spec',
      'spec.schedule: Required value',
      'spec.jobTemplate.spec.template.spec.containers: Required value',
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    [
      'spec.jobTemplate.spec.template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'spec.jobTemplate.spec.template.spec.containers[1].name: Duplicate value: "main"',
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
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.jobTemplate.spec.template.spec.containers[0].name = "Bad_Name!"',
      `spec.jobTemplate.spec.template.spec.containers[0].name: Invalid value: "Bad_Name!": a lowercase …z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.jobTemplate.spec.template.metadata.labels.key = "a b!"',
      `spec.jobTemplate.spec.template.labels: Invalid value: "a b!": a valid label must be an empty str…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.jobTemplate.spec.template.spec.containers[0].name = a × 300',
      'spec.jobTemplate.spec.template.spec.containers[0].name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 52 characters',
    ],
  ],
  update: [
    ['-spec.schedule', 'spec.schedule: Required value'],
    ['-spec.jobTemplate.spec.template.spec.containers', 'spec.jobTemplate.spec.template.spec.containers: Required value'],
    ['spec.failedJobsHistoryLimit = -1', 'spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.startingDeadlineSeconds = -1', 'spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.schedule = "Bad_Name!"', 'spec.schedule: Invalid value: "Bad_Name!": expected exactly 5 fields, found 1: [Bad_Name!]'],
    ['spec.successfulJobsHistoryLimit = -1', 'spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0'],
    ['-spec.jobTemplate.spec.template.spec.containers[0].image', 'spec.jobTemplate.spec.template.spec.containers[0].image: Required value'],
    [
      'spec.concurrencyPolicy = "Bad_Name!"',
      'spec.concurrencyPolicy: Unsupported value: "Bad_Name!": supported values: "Allow", "Forbid", "Replace"',
    ],
    [
      'spec.jobTemplate.spec.template.spec.restartPolicy = ""',
      'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    [
      'spec.schedule = "*/5 1-3 * JAN monx"',
      'spec.schedule: Invalid value: "*/5 1-3 * JAN monx": failed to parse int from monx: strconv.Atoi: parsing "monx": invalid syntax',
    ],
    [
      'spec.jobTemplate.spec.template.spec.restartPolicy = Neverx',
      'spec.jobTemplate.spec.template.spec.restartPolicy: Unsupported value: "Neverx": supported values: "Always", "OnFailure", "Never"',
      'spec.jobTemplate.spec.template.spec.restartPolicy: Unsupported value: "Neverx": supported values: "OnFailure", "Never"',
    ],
    [
      'spec.jobTemplate.spec.template.metadata.labels[Bad Key!] = x',
      `spec.jobTemplate.spec.template.labels: Invalid value: "Bad Key!": name part must consist of alph…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.jobTemplate.spec.template.metadata.labels.key = "a b!"',
      `spec.jobTemplate.spec.template.labels: Invalid value: "a b!": a valid label must be an empty str…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.jobTemplate.spec.template.metadata.labels.a = a × 300',
      'spec.jobTemplate.spec.template.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.timeZone = a × 300',
      'spec.timeZone: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    ],
  ],
})
