import { ruleTables } from '../rule-table.contract.ts'
import { jobs } from './jobs.ts'

ruleTables(jobs, {
  object: `
metadata: {name: j}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/app:1"}]}}}
`,
  filled: [
    'spec.template.spec.containers[0].resources = {}',
    'spec.template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'spec.template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.template.spec.containers[0].terminationMessagePolicy = File',
    'spec.template.spec.dnsPolicy = ClusterFirst',
    'spec.template.spec.schedulerName = default-scheduler',
    'spec.template.spec.terminationGracePeriodSeconds = 30',
    'spec.template.spec.securityContext = {}',
    'spec.template.metadata = {labels: {batch.kubernetes.io/controller-uid: "", batch.kubernetes.io/j…oller-uid: "", job-name: j}}',
    'spec.completions = 1',
    'spec.parallelism = 1',
    'spec.backoffLimit = 6',
    'spec.completionMode = NonIndexed',
    'spec.suspend = false',
    'spec.podReplacementPolicy = TerminatingOrFailed',
    'spec.manualSelector = false',
    'spec.selector = {matchLabels: {batch.kubernetes.io/controller-uid: ""}}',
    'status = {}',
  ],
  status: [
    [
      'metadata.labels = {changed: "yes"} && -spec.template',
      '-metadata.labels[batch.kubernetes.io/controller-uid]',
      '-metadata.labels[batch.kubernetes.io/job-name]',
      '-metadata.labels.controller-uid',
      '-metadata.labels.job-name',
      'metadata.labels.changed = "yes"',
    ],
  ],
})

ruleTables(jobs, {
  object: `
metadata: {name: j2, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  manualSelector: true
  selector: {matchLabels: {a: b}}
  backoffLimit: 3
  template:
    metadata: {labels: {a: b}}
    spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/app:1"}]}
`,
  filled: [
    'spec.template.spec.containers[0].resources = {}',
    'spec.template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'spec.template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.template.spec.containers[0].terminationMessagePolicy = File',
    'spec.template.spec.dnsPolicy = ClusterFirst',
    'spec.template.spec.schedulerName = default-scheduler',
    'spec.template.spec.terminationGracePeriodSeconds = 30',
    'spec.template.spec.securityContext = {}',
    'spec.completions = 1',
    'spec.parallelism = 1',
    'spec.completionMode = NonIndexed',
    'spec.suspend = false',
    'spec.podReplacementPolicy = TerminatingOrFailed',
    'status = {}',
  ],
  create: [
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['spec.backoffLimit = -1', 'spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0'],
    ['-spec.template.spec.restartPolicy', 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ['-spec.template.metadata', 'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    ['-spec.template.metadata.labels.a', 'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
    [
      '-spec.selector',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
    [
      '-spec.template.spec',
      'spec.template.spec.containers: Required value',
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    [
      'spec.template.spec.restartPolicy = "Bad_Name!"',
      'spec.template.spec.restartPolicy: Unsupported value: "Bad_Name!": supported values: "Always", "OnFailure", "Never"',
      'spec.template.spec.restartPolicy: Unsupported value: "Bad_Name!": supported values: "OnFailure", "Never"',
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
      'spec.selector.matchLabels[Bad Key!] = x',
      `spec.selector.matchLabels: Invalid value: "Bad Key!": name part must consist of alphanumeric cha…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
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
      'spec.selector.matchLabels.key = "a b!"',
      `spec.selector.matchLabels: Invalid value: "a b!": a valid label must be an empty string or consi…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.selector.matchLabels.a = a × 300',
      'spec.selector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.template.metadata.labels.a = a × 300',
      'spec.template.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
      'spec.template.metadata.labels: Invalid value: {"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… not match template `labels`',
    ],
  ],
  update: [
    ['-spec.selector.matchLabels', 'spec.selector: Invalid value: {}: field is immutable'],
    [
      'spec.backoffLimit = -1',
      'spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0',
      'spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.selector.matchLabels.a = null',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: {"matchLabels":{"a":""}}: field is immutable',
    ],
    [
      'spec.selector.matchLabels.key = "a b!"',
      `spec.selector.matchLabels: Invalid value: "a b!": a valid label must be an empty string or consi…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      `spec.selector.matchLabels: Invalid value: "a b!": a valid label must be an empty string or consi…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec.selector: Invalid value: {"matchLabels":{"a":"b","key":"a b!"}}: field is immutable',
    ],
  ],
})

ruleTables(jobs, {
  object: `
metadata: {name: j1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  parallelism: 2
  completions: 4
  completionMode: Indexed
  backoffLimitPerIndex: 1
  maxFailedIndexes: 2
  activeDeadlineSeconds: 60
  ttlSecondsAfterFinished: 5
  suspend: true
  podReplacementPolicy: Failed
  podFailurePolicy:
    rules:
      - {action: FailIndex, onExitCodes: {containerName: main, operator: In, values: [1, 2]}}
      - {action: Ignore, onPodConditions: [{type: DisruptionTarget, status: "True"}]}
  successPolicy: {rules: [{succeededIndexes: "0-1", succeededCount: 1}]}
  managedBy: example.com/x
  template:
    metadata: {labels: {a: b}}
    spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example/app:1"}]}
`,
  filled: [
    'spec.template.metadata.labels[batch.kubernetes.io/controller-uid] = ""',
    'spec.template.metadata.labels[batch.kubernetes.io/job-name] = j1',
    'spec.template.metadata.labels.controller-uid = ""',
    'spec.template.metadata.labels.job-name = j1',
    'spec.template.spec.containers[0].resources = {}',
    'spec.template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'spec.template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.template.spec.containers[0].terminationMessagePolicy = File',
    'spec.template.spec.dnsPolicy = ClusterFirst',
    'spec.template.spec.schedulerName = default-scheduler',
    'spec.template.spec.terminationGracePeriodSeconds = 30',
    'spec.template.spec.securityContext = {}',
    'spec.backoffLimit = 2147483647',
    'spec.manualSelector = false',
    'spec.selector = {matchLabels: {batch.kubernetes.io/controller-uid: ""}}',
    'status = {}',
  ],
  update: [
    [
      '-spec.template.metadata',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
    ],
    [
      '-spec.template.metadata.labels',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
    ],
    [
      'spec.successPolicy = null',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.successPolicy: Invalid value: null: field is immutable',
    ],
    [
      'spec.backoffLimitPerIndex = 0',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.backoffLimitPerIndex: Invalid value: 0: field is immutable',
    ],
    [
      'spec.managedBy = example.com/xx',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.managedBy: Invalid value: "example.com/xx": field is immutable',
    ],
    [
      '-spec.successPolicy.rules[0].succeededIndexes',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: field is immutable',
    ],
    [
      'spec.activeDeadlineSeconds = -1',
      'spec.activeDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.activeDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
    ],
    [
      'spec.managedBy = "Bad_Name!"',
      'spec.managedBy: Invalid value: "Bad_Name!": must be a domain-prefixed path (such as "acme.io/foo")',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.managedBy: Invalid value: "Bad_Name!": must be a domain-prefixed path (such as "acme.io/foo")',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.managedBy: Invalid value: "Bad_Name!": field is immutable',
    ],
    [
      '-spec.successPolicy.rules',
      'spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.successPolicy: Invalid value: {"Rules":null}: field is immutable',
    ],
    [
      'spec.podFailurePolicy.rules[0].onExitCodes.values[1] = 70000',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"FailIndex","OnExitCodes":{"ContainerN…ue"}]}]}: field is immutable',
    ],
    [
      'spec.successPolicy.rules = [null, {succeededIndexes: "0-1", succeededCount: 1}]',
      'spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":null},{"S…nt":1}]}: field is immutable',
    ],
    [
      'spec.podFailurePolicy.rules[1].onPodConditions = []',
      'spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"FailIndex","OnExitCodes":{"ContainerN…s":[]}]}: field is immutable',
    ],
    [
      'spec.podFailurePolicy.rules[1].action = null',
      'spec.podFailurePolicy.rules[1].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.podFailurePolicy.rules[1].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"FailIndex","OnExitCodes":{"ContainerN…ue"}]}]}: field is immutable',
    ],
    [
      'spec.podFailurePolicy.rules[1].action = Ignorex',
      'spec.podFailurePolicy.rules[1].action: Unsupported value: "Ignorex": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.podFailurePolicy.rules[1].action: Unsupported value: "Ignorex": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"FailIndex","OnExitCodes":{"ContainerN…ue"}]}]}: field is immutable',
    ],
    [
      'spec.podFailurePolicy.rules[1].onPodConditions[0].status = "Bad_Name!"',
      'spec.podFailurePolicy.rules[1].onPodConditions[0].status: Unsupported value: "Bad_Name!": suppor…: "False", "True", "Unknown"',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.podFailurePolicy.rules[1].onPodConditions[0].status: Unsupported value: "Bad_Name!": suppor…: "False", "True", "Unknown"',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: null: field is immutable',
      'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"FailIndex","OnExitCodes":{"ContainerN…e!"}]}]}: field is immutable',
    ],
  ],
})
