import { ruleTables } from '../rule-table.contract.ts'
import { daemonSets } from './daemonsets.ts'
import { deployments } from './deployments.ts'
import { replicaSets } from './replicasets.ts'
import { statefulSets } from './statefulsets.ts'

ruleTables(statefulSets, {
  object: `
metadata: {name: s}
spec: {selector: {matchLabels: {app: web}}, serviceName: x, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: app}]}}}
`,
  create: [
    ['spec.podManagementPolicy = Odd', `spec.podManagementPolicy: Invalid value: "Odd": must be 'OrderedReady' or 'Parallel'`],
    ['spec.podManagementPolicy = Parallel'],
    [
      'spec.updateStrategy = {type: Odd}',
      `spec.updateStrategy: Invalid value: {"Type":"Odd","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`,
    ],
    ['spec.updateStrategy = {type: OnDelete}'],
    [
      'spec.updateStrategy = {type: OnDelete, rollingUpdate: {partition: 1}}',
      `spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`,
    ],
    [
      'spec.updateStrategy = {rollingUpdate: {partition: -1}}',
      'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['spec.updateStrategy = {type: RollingUpdate, rollingUpdate: {}}', 'spec.updateStrategy.rollingUpdate.partition = 0'],
    [
      'spec.updateStrategy = {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}',
      '-spec.updateStrategy.rollingUpdate.maxUnavailable',
      'spec.updateStrategy.rollingUpdate.partition = 0',
    ],
    [
      'spec.persistentVolumeClaimRetentionPolicy = {whenDeleted: Odd, whenScaled: Odd}',
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Odd": supported values: "Retain", "Delete"',
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Odd": supported values: "Retain", "Delete"',
    ],
    ['spec.persistentVolumeClaimRetentionPolicy = {whenDeleted: Delete}', 'spec.persistentVolumeClaimRetentionPolicy.whenScaled = Retain'],
    ['spec.replicas = -1', 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.minReadySeconds = -1', 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.ordinals = {start: -1}', 'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.ordinals = {start: 0}'],
    [
      'spec.revisionHistoryLimit = -1',
      'warning: spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
    ],
    ['spec.revisionHistoryLimit = 0'],
    [
      '-spec.selector',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    ['spec.selector = {}', 'spec.selector: Invalid value: {}: empty selector is invalid for statefulset'],
    [
      'spec.selector.matchLabels.app = other',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    [
      'spec.template.spec.restartPolicy = Never',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    [
      'spec.template.spec.activeDeadlineSeconds = 5',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported',
    ],
    [
      'spec.serviceName = A',
      `spec.serviceName: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanum…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    ['-spec.serviceName', 'spec.serviceName = ""'],
    [
      'spec.template.spec.containers[0].volumeMounts = [{name: data, mountPath: /d}]',
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
    ],
    [
      'spec.volumeClaimTemplates = [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}] && spec.template.spec.containers[0].volumeMounts = [{name: data, mountPath: /d}]',
      'spec.volumeClaimTemplates[0].spec.volumeMode = Filesystem',
      'spec.volumeClaimTemplates[0].status = {phase: Pending}',
      'spec.volumeClaimTemplates[0].apiVersion = v1',
      'spec.volumeClaimTemplates[0].kind = PersistentVolumeClaim',
    ],
    [
      'spec.volumeClaimTemplates = [{metadata: {name: data}, spec: {}}]',
      'spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required',
      'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value',
    ],
    [
      'spec.template.metadata.labels[a b] = c',
      `spec.template.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', …or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `spec.template.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', …or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    ['metadata.name = a.b', 'metadata.name: Invalid value: "a.b": must not contain dots'],
  ],
  update: [
    ['spec.replicas = 3', 'spec.replicas = 3'],
    [
      'spec.serviceName = z',
      `spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template…umeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`,
    ],
    [
      'spec.podManagementPolicy = Parallel',
      `spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template…umeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`,
    ],
    [
      'spec.selector.matchLabels.b = c',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      `spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template…umeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`,
    ],
    ['spec.minReadySeconds = 5', 'spec.minReadySeconds = 5'],
    ['spec.ordinals = {start: 5}', 'spec.ordinals = {start: 5}'],
    [
      'spec.revisionHistoryLimit = -1',
      'warning: spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
      'spec.revisionHistoryLimit = -1',
    ],
    ['spec.template.spec.containers[0].image = other', 'spec.template.spec.containers[0].image = other'],
    ['spec.updateStrategy = {type: OnDelete}', 'spec.updateStrategy.type = OnDelete', '-spec.updateStrategy.rollingUpdate'],
    ['spec.persistentVolumeClaimRetentionPolicy.whenDeleted = Delete', 'spec.persistentVolumeClaimRetentionPolicy.whenDeleted = Delete'],
    [
      'spec.volumeClaimTemplates = [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]',
      `spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template…umeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`,
    ],
  ],
  status: [
    [
      'status.replicas = -1',
      'status.replicas: Invalid value: -1: must be greater than or equal to 0',
      'status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas',
      'status.currentReplicas: Invalid value: 0: cannot be greater than status.replicas',
      'status.updatedReplicas: Invalid value: 0: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas',
    ],
    ['status.replicas = 1 && status.readyReplicas = 2', 'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas'],
    [
      'status.replicas = 2 && status.availableReplicas = 2 && status.readyReplicas = 1',
      'status.availableReplicas: Invalid value: 2: cannot be greater than status.readyReplicas',
    ],
    [
      'status.replicas = 2 && status.readyReplicas = 2 && status.currentReplicas = 3',
      'status.currentReplicas: Invalid value: 3: cannot be greater than status.replicas',
    ],
    ['status.observedGeneration = -1', 'status.observedGeneration: Invalid value: -1: must be greater than or equal to 0'],
    ['status.collisionCount = -1', 'status.collisionCount: Invalid value: -1: must be greater than or equal to 0'],
    ['status.collisionCount = 2 -> status.collisionCount = 1', 'status.collisionCount: Invalid value: 1: cannot be decremented'],
    ['status.collisionCount = 2 -> -status.collisionCount', 'status.collisionCount: Invalid value: 0: cannot be decremented'],
    ['status.collisionCount = 2 -> status.collisionCount = 2'],
    ['status.replicas = 2 && status.readyReplicas = 2', 'status.replicas = 2', 'status.readyReplicas = 2'],
  ],
})

ruleTables(daemonSets, {
  object: `
metadata: {name: d}
spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: app}]}}}
`,
  create: [
    ['-spec.selector', 'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    ['spec.selector = {}', 'spec.selector: Invalid value: {}: empty selector is invalid for daemonset'],
    [
      'spec.selector.matchLabels.app = other',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    [
      'spec.selector.matchLabels[a b] = c',
      `spec.selector.matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, …or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    ['spec.minReadySeconds = -1', 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.revisionHistoryLimit = -1', 'spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.template.spec.restartPolicy = OnFailure',
      'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
    ],
    ['spec.updateStrategy = {type: OnDelete}'],
    [
      'spec.updateStrategy = {type: Odd}',
      'spec.updateStrategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    ],
    [
      'spec.updateStrategy = {type: Odd, rollingUpdate: {maxSurge: 1}}',
      'spec.updateStrategy: Unsupported value: {"Type":"Odd","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":1}}: supported values: "RollingUpdate", "OnDelete"',
    ],
    [
      'spec.updateStrategy = {rollingUpdate: {maxUnavailable: 0}}',
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
    ['spec.updateStrategy = {rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}', 'spec.updateStrategy.type = RollingUpdate'],
    [
      'spec.updateStrategy = {rollingUpdate: {maxUnavailable: 1, maxSurge: 1}}',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    ],
    [
      'spec.updateStrategy = {rollingUpdate: {maxUnavailable: 101%}}',
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
    [
      'spec.updateStrategy = {rollingUpdate: {maxUnavailable: 100%}}',
      'spec.updateStrategy.rollingUpdate.maxSurge = 0',
      'spec.updateStrategy.type = RollingUpdate',
    ],
    [
      'spec.updateStrategy = {rollingUpdate: {maxUnavailable: -1}}',
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.updateStrategy = {rollingUpdate: {maxUnavailable: x}}',
      `spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "x": a valid percent string must be….g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
    [
      'spec.updateStrategy = {rollingUpdate: {maxUnavailable: 0, maxSurge: 101%}}',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "101%": must not be greater than 100%',
    ],
    ['spec.updateStrategy = {rollingUpdate: {maxUnavailable: 0%, maxSurge: 10%}}', 'spec.updateStrategy.type = RollingUpdate'],
    [
      'spec.updateStrategy = {rollingUpdate: {maxUnavailable: 0, maxSurge: -1}}',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['metadata.annotations[deprecated.daemonset.template.generation] = "5"'],
    ['spec.template.spec.volumes = [{name: v, gcePersistentDisk: {pdName: p}}]'],
    ['spec.template.spec.volumes = [{name: v, gcePersistentDisk: {pdName: p, readOnly: true}}]'],
  ],
  update: [
    [
      'spec.selector.matchLabels.b = c',
      'spec.selector: Invalid value: {"matchLabels":{"app":"web","b":"c"}}: field is immutable',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    [
      'spec.template.spec.containers[0].image = other',
      'metadata.annotations[deprecated.daemonset.template.generation] = "2"',
      'spec.template.spec.containers[0].image = other',
    ],
    ['spec.minReadySeconds = 5', 'spec.minReadySeconds = 5'],
    ['metadata.labels.a = b', 'metadata.labels = {a: b}'],
  ],
  status: [
    ['status.numberReady = -1', 'status.numberReady: Invalid value: -1: must be greater than or equal to 0'],
    ['status.numberAvailable = 5', 'status.numberAvailable = 5'],
    ['status.observedGeneration = -1', 'status.observedGeneration: Invalid value: -1: must be greater than or equal to 0'],
    ['status.collisionCount = -1', 'status.collisionCount: Invalid value: -1: must be greater than or equal to 0'],
    ['status.collisionCount = 2 -> status.collisionCount = 1', 'status.collisionCount: Invalid value: 1: cannot be decremented'],
    ['status.collisionCount = 2 -> -status.collisionCount', 'status.collisionCount: Invalid value: 0: cannot be decremented'],
    ['status.collisionCount = 2 -> status.collisionCount = 2'],
    ['spec.minReadySeconds = 4 && status.numberReady = 1', 'status.numberReady = 1'],
  ],
})

ruleTables(deployments, {
  object: `
metadata: {name: d}
spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: app}]}}}
`,
  create: [
    ['spec.replicas = -1', 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.minReadySeconds = -1', 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.minReadySeconds = 600', 'spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
    ['spec.minReadySeconds = 599'],
    ['spec.progressDeadlineSeconds = 0', 'spec.progressDeadlineSeconds: Invalid value: 0: must be greater than minReadySeconds'],
    [
      'spec.progressDeadlineSeconds = -1',
      'spec.progressDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds',
    ],
    [
      'spec.progressDeadlineSeconds = 5 && spec.minReadySeconds = 5',
      'spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds',
    ],
    ['spec.progressDeadlineSeconds = 6 && spec.minReadySeconds = 5'],
    ['spec.revisionHistoryLimit = -1', 'spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.strategy = {type: Recreate}'],
    [
      'spec.strategy = {type: Recreate, rollingUpdate: {maxSurge: 1}}',
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      'spec.strategy = {type: Odd}',
      'spec.strategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
    [
      'spec.strategy = {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}',
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ],
    [
      'spec.strategy = {type: RollingUpdate, rollingUpdate: {maxSurge: 0%, maxUnavailable: 0}}',
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ],
    [
      'spec.strategy = {type: RollingUpdate, rollingUpdate: {maxSurge: -1}}',
      'spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec.strategy = {type: RollingUpdate, rollingUpdate: {maxSurge: x}}',
      `spec.strategy.rollingUpdate.maxSurge: Invalid value: "x": a valid percent string must be a numeric s….g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
    ],
    [
      'spec.strategy = {type: RollingUpdate, rollingUpdate: {maxUnavailable: 101%}}',
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
    ['spec.strategy = {type: RollingUpdate, rollingUpdate: {maxUnavailable: 100%}}', 'spec.strategy.rollingUpdate.maxSurge = "25%"'],
    ['spec.strategy = {type: RollingUpdate, rollingUpdate: {maxSurge: 200%}}', 'spec.strategy.rollingUpdate.maxUnavailable = "25%"'],
    [
      'spec.strategy = {type: RollingUpdate, rollingUpdate: {maxUnavailable: -1}}',
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      '-spec.selector',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    ['spec.selector = {}', 'spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    [
      'spec.selector.matchLabels.app = other',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    ['spec.rollbackTo = {revision: 1}', '-spec.rollbackTo'],
    ['spec.replicas = 2 && spec.template.spec.volumes = [{name: v, gcePersistentDisk: {pdName: p}}]'],
    ['spec.replicas = 1 && spec.template.spec.volumes = [{name: v, gcePersistentDisk: {pdName: p}}]'],
  ],
  update: [
    [
      'spec.selector.matchLabels.b = c',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: {"matchLabels":{"app":"web","b":"c"}}: field is immutable',
    ],
    ['spec.replicas = 0', 'spec.replicas = 0'],
    ['spec.paused = true', 'spec.paused = true'],
    ['spec.template.spec.containers[0].image = other', 'spec.template.spec.containers[0].image = other'],
  ],
  status: [
    [
      'status.replicas = -1',
      'status.replicas: Invalid value: -1: must be greater than or equal to 0',
      'status.updatedReplicas: Invalid value: 0: cannot be greater than status.replicas',
      'status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas',
    ],
    [
      'status.replicas = 1 && status.updatedReplicas = 2',
      'status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas',
    ],
    ['status.replicas = 1 && status.readyReplicas = 2', 'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas'],
    [
      'status.replicas = 1 && status.availableReplicas = 2',
      'status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
    ],
    [
      'status.replicas = 2 && status.readyReplicas = 1 && status.availableReplicas = 2',
      'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
    ],
    ['status.unavailableReplicas = -1', 'status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0'],
    ['status.observedGeneration = -1', 'status.observedGeneration: Invalid value: -1: must be greater than or equal to 0'],
    ['status.collisionCount = -1', 'status.collisionCount: Invalid value: -1: must be greater than or equal to 0'],
    ['status.collisionCount = 2 -> status.collisionCount = 1', 'status.collisionCount: Invalid value: 1: cannot be decremented'],
    ['status.collisionCount = 2 -> -status.collisionCount', 'status.collisionCount: Invalid value: 0: cannot be decremented'],
    ['status.collisionCount = 2 -> status.collisionCount = 2'],
    [
      'status.replicas = 2 && status.readyReplicas = 2 && status.availableReplicas = 2 && status.updatedReplicas = 2',
      'status.replicas = 2',
      'status.updatedReplicas = 2',
      'status.readyReplicas = 2',
      'status.availableReplicas = 2',
    ],
  ],
})

ruleTables(replicaSets, {
  object: `
metadata: {name: r}
spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: app}]}}}
`,
  create: [
    ['spec.replicas = -1', 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ['spec.minReadySeconds = -1', 'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    [
      '-spec.selector',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    ['spec.selector = {}', 'spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    [
      'spec.selector.matchLabels.app = other',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
    [
      'spec.template.spec.restartPolicy = Never',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    [
      '-spec.template',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
      'spec.template.spec.containers: Required value',
    ],
  ],
  update: [
    [
      'spec.selector.matchLabels.b = c',
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      'spec.selector: Invalid value: {"matchLabels":{"app":"web","b":"c"}}: field is immutable',
    ],
    ['spec.replicas = 5', 'spec.replicas = 5'],
  ],
  status: [
    [
      'status.replicas = -1',
      'status.replicas: Invalid value: -1: must be greater than or equal to 0',
      'status.fullyLabeledReplicas: Invalid value: 0: cannot be greater than status.replicas',
      'status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas',
    ],
    [
      'status.replicas = 1 && status.fullyLabeledReplicas = 2',
      'status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas',
    ],
    ['status.replicas = 1 && status.readyReplicas = 2', 'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas'],
    [
      'status.replicas = 2 && status.readyReplicas = 1 && status.availableReplicas = 2',
      'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
    ],
    [
      'status.replicas = 1 && status.availableReplicas = 2',
      'status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
    ],
    [
      'status.replicas = 2 && status.readyReplicas = 2 && status.availableReplicas = 2',
      'status.replicas = 2',
      'status.readyReplicas = 2',
      'status.availableReplicas = 2',
    ],
    ['status.observedGeneration = -1', 'status.observedGeneration: Invalid value: -1: must be greater than or equal to 0'],
  ],
})
