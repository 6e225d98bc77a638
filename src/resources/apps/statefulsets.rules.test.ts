import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asKubeObject } from '../../machinery/object.ts'
import { readPath } from '../../machinery/resource/definition.ts'
import { rulesContext } from '../../machinery/resource/rules-context.double.ts'
import { ruleTables } from '../rule-table.contract.ts'
import { statefulSets } from './statefulsets.ts'

ruleTables(statefulSets, {
  object: `
metadata: {name: s}
spec:
  serviceName: x
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
    'spec.updateStrategy = {type: RollingUpdate, rollingUpdate: {partition: 0}}',
    'spec.podManagementPolicy = OrderedReady',
    'spec.persistentVolumeClaimRetentionPolicy = {whenDeleted: Retain, whenScaled: Retain}',
    'spec.replicas = 1',
    'spec.revisionHistoryLimit = 10',
    'status = {replicas: 0, availableReplicas: 0}',
  ],
  create: [
    ['spec.template.spec = null', 'spec.template.spec.containers: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.selector.matchLabels', 'spec.selector: Invalid value: {}: empty selector is invalid for statefulset'],
    ['-spec.template.metadata.labels.app', 'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
    [
      '-spec.selector',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must consist of lower case…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.serviceName = "Bad_Name!"',
      `spec.serviceName: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must consist of lower c…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.serviceName = a × 300',
      'spec.serviceName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…e no more than 63 characters',
    ],
    [
      'spec.selector.matchLabels.key = "a b!"',
      `spec.selector.matchLabels: Invalid value: "a b!": a valid label must be an empty string or consi…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec.selector: Invalid value: {"matchLabels":{"app":"web","key":"a b!"}}',
    ],
    [
      'spec.template.metadata.labels[Bad Key!] = x',
      `spec.template.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `spec.template.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.template.metadata.labels.key = "a b!"',
      `spec.template.labels: Invalid value: "a b!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      `spec.template.labels: Invalid value: "a b!": a valid label must be an empty string or consist of…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.selector.matchLabels.app = a × 300',
      'spec.selector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
      'spec.selector: Invalid value: {"matchLabels":{"app":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…aaaaaaaaaaaaaaaaaaaaaaaaa"}}',
    ],
  ],
  update: [
    [
      'spec.template.spec.containers[0].name = "Bad_Name!"',
      `spec.template.spec.containers[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label mu…z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
  ],
  status: [
    ['metadata.labels = {changed: "yes"} && -spec.serviceName && -spec.selector && -spec.template', 'metadata.labels = {changed: "yes"}'],
  ],
})

ruleTables(statefulSets, {
  object: `
metadata: {name: s1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  replicas: 3
  serviceName: x
  podManagementPolicy: Parallel
  revisionHistoryLimit: 3
  minReadySeconds: 1
  ordinals: {start: 5}
  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Retain}
  volumeClaimTemplates:
    - {metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: "1Gi"}}}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/app:1"}]}
`,
  filled: [
    'spec.volumeClaimTemplates[0].spec.volumeMode = Filesystem',
    'spec.volumeClaimTemplates[0].status = {phase: Pending}',
    'spec.volumeClaimTemplates[0].apiVersion = v1',
    'spec.volumeClaimTemplates[0].kind = PersistentVolumeClaim',
    'spec.template.spec.containers[0].resources = {}',
    'spec.template.spec.containers[0].imagePullPolicy = IfNotPresent',
    'spec.template.spec.containers[0].terminationMessagePath = /dev/termination-log',
    'spec.template.spec.containers[0].terminationMessagePolicy = File',
    'spec.template.spec.restartPolicy = Always',
    'spec.template.spec.dnsPolicy = ClusterFirst',
    'spec.template.spec.schedulerName = default-scheduler',
    'spec.template.spec.terminationGracePeriodSeconds = 30',
    'spec.template.spec.securityContext = {}',
    'status = {replicas: 0, availableReplicas: 0}',
  ],
  create: [
    ['spec.ordinals.start = -1', 'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0'],
    ['-spec.template.metadata', 'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    ['-spec.volumeClaimTemplates[0].spec.resources.requests', 'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value'],
    [
      'spec.updateStrategy.rollingUpdate.partition = -1',
      'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.volumeClaimTemplates[0].spec.resources.requests.storage = "-1"',
      'spec.volumeClaimTemplates[0].spec.resources[storage]: Invalid value: "-1": must be greater than zero',
    ],
    [
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled = Retainx',
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Retainx": supported values: "Retain", "Delete"',
    ],
    [
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted = Deletex',
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Deletex": supported values: "Retain", "Delete"',
    ],
    [
      'spec.updateStrategy.type = "Bad_Name!"',
      `spec.updateStrategy: Invalid value: {"Type":"Bad_Name!","RollingUpdate":{"Partition":1,"MaxUnava…RollingUpdate' or 'OnDelete'`,
    ],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.selector.matchLabels[Bad Key!] = x',
      `spec.selector.matchLabels: Invalid value: "Bad Key!": name part must consist of alphanumeric cha…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.selector: Invalid value: {"matchLabels":{"Bad Key!":"x","app":"web"}}',
    ],
  ],
  update: [
    ['spec.template.spec = null', 'spec.template.spec.containers: Required value'],
    ['-spec.template.spec.containers[0].name', 'spec.template.spec.containers[0].name: Required value'],
    ['-spec.template.spec.containers[0].image', 'spec.template.spec.containers[0].image: Required value'],
    ['spec.ordinals.start = -1', 'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.minReadySeconds = -1', 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    ['-spec.template.metadata.labels', 'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    ['-spec.template.metadata.labels.app', 'spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
    [
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted = Deletex',
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Deletex": supported values: "Retain", "Delete"',
    ],
    [
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled = "Bad_Name!"',
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Bad_Name!": supported values: "Retain", "Delete"',
    ],
    [
      'spec.template.spec.containers = [{name: main, image: "registry.example/app:1"}, {name: main, image: "registry.example/app:1"}]',
      'spec.template.spec.containers[1].name: Duplicate value: "main"',
    ],
    [
      'spec.updateStrategy.type = RollingUpdatex',
      `spec.updateStrategy: Invalid value: {"Type":"RollingUpdatex","RollingUpdate":{"Partition":1,"Max…RollingUpdate' or 'OnDelete'`,
    ],
    [
      'spec.serviceName = ""',
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'temp…nReadySeconds' are forbidden",
    ],
    [
      '-spec.selector.matchLabels',
      'spec.selector: Invalid value: {}: empty selector is invalid for statefulset',
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'temp…nReadySeconds' are forbidden",
    ],
    [
      '-spec.selector',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'temp…nReadySeconds' are forbidden",
    ],
    [
      '-spec.volumeClaimTemplates[0].metadata.name',
      'spec.template.spec.volumes[0].persistentVolumeClaim.claimName: Required value',
      'spec.template.spec.volumes[0].name: Required value',
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'temp…nReadySeconds' are forbidden",
    ],
    [
      'spec.volumeClaimTemplates[0].metadata.name = "Bad_Name!"',
      `spec.template.spec.volumes[0].name: Invalid value: "Bad_Name!": a lowercase RFC 1123 label must …z0-9]([-a-z0-9]*[a-z0-9])?')`,
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'temp…nReadySeconds' are forbidden",
    ],
    [
      'spec.template.metadata.labels[Bad Key!] = x',
      `spec.template.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `spec.template.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characte…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.selector.matchLabels.key = "a b!"',
      `spec.selector.matchLabels: Invalid value: "a b!": a valid label must be an empty string or consi…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec.selector: Invalid value: {"matchLabels":{"app":"web","key":"a b!"}}',
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'temp…nReadySeconds' are forbidden",
    ],
    ['metadata.labels = null', '-metadata.labels'],
  ],
})

ruleTables(statefulSets, {
  object: `
metadata: {name: s}
spec:
  serviceName: s
  selector: {matchLabels: {app: s}}
  template: {metadata: {labels: {app: s}}, spec: {containers: [{name: main, image: a}]}}
  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}
`,
  create: [
    // The feature is off by default: the field goes before anything looks at it.
    ['spec.updateStrategy.rollingUpdate.maxUnavailable = 0', '-spec.updateStrategy.rollingUpdate.maxUnavailable'],
    [
      'spec.updateStrategy.type = OnDelete',
      `spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`,
    ],
    ['spec.updateStrategy = {type: OnDelete}'],
  ],
})

const withUnavailable = (maxUnavailable?: number) => {
  const rollingUpdate = { partition: 0, ...(maxUnavailable !== undefined && { maxUnavailable }) }
  return asKubeObject({ metadata: { name: 's' }, spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate } } })
}
// [stored, sent, kept]
for (const [stored, sent, kept] of [
  [undefined, 2, undefined],
  [1, 2, 2],
  [1, undefined, undefined],
] as const)
  test(`maxUnavailable, whose feature is off, ${stored === undefined ? 'is dropped' : `stays where it is stored: ${kept}`}`, () => {
    const draft = withUnavailable(sent)
    statefulSets.rules?.prepareForUpdate?.(draft, withUnavailable(stored), rulesContext())
    assert.equal(readPath(draft, ['spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable']), kept)
  })
