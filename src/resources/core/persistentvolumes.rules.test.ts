import { ruleTables } from '../rule-table.contract.ts'
import { persistentVolumes } from './persistentvolumes.ts'

ruleTables(persistentVolumes, {
  object: `
metadata: {name: default}
spec: {capacity: {storage: "1Gi"}, accessModes: [ReadWriteOnce], hostPath: {path: /x}}
`,
  filled: [
    'spec.hostPath.type = ""',
    'spec.persistentVolumeReclaimPolicy = Retain',
    'spec.volumeMode = Filesystem',
    'status = {phase: Pending, lastPhaseTransitionTime: "2026-01-01T00:00:00Z"}',
  ],
  create: [
    ['spec.local = {path: /x}', 'spec.local: Forbidden: may not specify more than 1 volume type'],
    ['-spec.accessModes', 'spec.accessModes: Required value'],
    ['-spec.hostPath.path', 'spec.hostPath.path: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['spec.capacity.key = 5', 'spec.capacity: Unsupported value: {"key":"5","storage":"1Gi"}: supported values: "storage"'],
    ['spec.capacity = null', 'spec.capacity: Required value', 'spec.capacity: Unsupported value: null: supported values: "storage"'],
    [
      'spec.accessModes[0] = ""',
      'spec.accessModes: Unsupported value: "": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
  ],
  update: [
    [
      '-spec.capacity.storage',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: {}: supported values: "storage"',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: {}: supported values: "storage"',
    ],
    [
      'spec.capacity = null',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
    ],
    [
      'spec.accessModes[0] = ""',
      'spec.accessModes: Unsupported value: "": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.accessModes: Unsupported value: "": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      'spec.hostPath.path = "Bad_Name!"',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…"\n  },\n  "Glusterfs": null,\n',
    ],
    [
      '-spec.hostPath.path',
      'spec.hostPath.path: Required value',
      'spec.hostPath.path: Required value',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…"\n  },\n  "Glusterfs": null,\n',
    ],
    [
      '-spec',
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      'spec: Required value: must specify a volume type',
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      'spec: Required value: must specify a volume type',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…"NFS": null,\n  "RBD": null,\n',
    ],
  ],
  status: [
    ['metadata.labels = {changed: "yes"} && -spec.capacity && -spec.accessModes && -spec.hostPath', 'metadata.labels = {changed: "yes"}'],
  ],
})

ruleTables(persistentVolumes, {
  object: `
metadata: {name: ns-c}
spec:
  capacity: {storage: "1Gi"}
  accessModes: [ReadWriteOncePod]
  local: {path: /mnt}
  volumeMode: Block
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: h, operator: Exists}]}]}}
`,
  filled: ['spec.persistentVolumeReclaimPolicy = Retain', 'status = {phase: Pending, lastPhaseTransitionTime: "2026-01-01T00:00:00Z"}'],
  create: [
    ['-spec.local.path', 'spec.local.path: Required value'],
    ['-spec.nodeAffinity', 'spec.nodeAffinity: Required value: Local volume requires node affinity'],
    [
      '-spec.nodeAffinity.required.nodeSelectorTerms',
      'spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
  ],
  update: [
    ['-spec.volumeMode', 'volumeMode: Invalid value: "Filesystem": field is immutable'],
    ['-spec.accessModes', 'spec.accessModes: Required value', 'spec.accessModes: Required value'],
    [
      'spec.capacity.storage = null',
      'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
      'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
    ],
    [
      'spec.capacity.key = 5',
      'spec.capacity: Unsupported value: {"key":"5","storage":"1Gi"}: supported values: "storage"',
      'spec.capacity: Unsupported value: {"key":"5","storage":"1Gi"}: supported values: "storage"',
    ],
    [
      'spec.nodeAffinity.required.nodeSelectorTerms[0] = null',
      'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":null,"MatchFi…dating from beta label to GA',
    ],
    [
      'spec.volumeMode = ""',
      'spec.volumeMode: Unsupported value: "": supported values: "Block", "Filesystem"',
      'spec.volumeMode: Unsupported value: "": supported values: "Block", "Filesystem"',
      'volumeMode: Invalid value: "": field is immutable',
    ],
    [
      '-spec.nodeAffinity',
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
      'nodeAffinity: Invalid value: null: field is immutable, except for updating from beta label to GA',
    ],
    [
      'spec.local.path = /mntx',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…l\n  },\n  "StorageOS": null,\n',
    ],
    [
      '-spec.nodeAffinity.required',
      'spec.nodeAffinity.required: Required value: must specify required node constraints',
      'spec.nodeAffinity.required: Required value: must specify required node constraints',
      'nodeAffinity: Invalid value: {"Required":null}: field is immutable, except for updating from beta label to GA',
    ],
    [
      'spec.capacity.storage = "-1"',
      'spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
      'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
      'spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
      'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
    ],
    [
      '-spec.local.path',
      'spec.local.path: Required value',
      'spec.local.path: Required value',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…l\n  },\n  "StorageOS": null,\n',
    ],
    [
      '-spec.nodeAffinity.required.nodeSelectorTerms',
      'spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term',
      'spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term',
      'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":null}}: field is immutable, except…dating from beta label to GA',
    ],
    [
      '-spec.local',
      'spec: Required value: must specify a volume type',
      'spec: Required value: must specify a volume type',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…OS": null,\n  "CSI": null\n }\n',
    ],
  ],
})

ruleTables(persistentVolumes, {
  object: `
metadata: {name: ns-b}
spec:
  capacity: {storage: "10Gi"}
  accessModes: [ReadWriteMany, ReadOnlyMany]
  volumeMode: Filesystem
  persistentVolumeReclaimPolicy: Retain
  storageClassName: fast
  mountOptions: [ro]
  csi:
    driver: csi.example.com
    volumeHandle: h
    fsType: ext4
    readOnly: true
    volumeAttributes: {a: b}
    nodeStageSecretRef: {name: s, namespace: x}
  claimRef: {name: c, namespace: x}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}
`,
  filled: ['status = {phase: Pending, lastPhaseTransitionTime: "2026-01-01T00:00:00Z"}'],
  create: [
    ['-spec.csi.driver', 'spec.csi.driver: Required value'],
    ['-spec.csi', 'spec: Required value: must specify a volume type'],
    ['-spec.csi.volumeHandle', 'spec.csi.volumeHandle: Required value'],
    ['spec.volumeMode = ""', 'spec.volumeMode: Unsupported value: "": supported values: "Block", "Filesystem"'],
    ['-spec.nodeAffinity.required', 'spec.nodeAffinity.required: Required value: must specify required node constraints'],
    [
      'spec.persistentVolumeReclaimPolicy = Retainx',
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "Retainx": supported values: "Delete", "Recycle", "Retain"',
    ],
    [
      '-spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].operator',
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value: "": not a valid selector operator',
    ],
    [
      '-spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values',
      "spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must…operator` is 'In' or 'NotIn'",
    ],
    [
      'spec.storageClassName = "Bad_Name!"',
      `spec.storageClassName: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist o…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.storageClassName = a × 300',
      'spec.storageClassName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key = "Bad_Name!"',
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "Bad_Nam…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.csi.driver = a × 300',
      'spec.csi.driver: Too long: may not be more than 63 bytes',
      'spec.csi.driver: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0] = "Bad_Name!"',
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: "B…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key = a × 300',
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "aaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0] = a × 300',
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: "a…ust be no more than 63 bytes',
    ],
    [
      '-spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key',
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "": name part must be non-empty',
      `spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: Invalid value: "": name…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
  update: [
    [
      'spec.csi.fsType = ext4x',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…utes": {\n    "a": "b"\n   },\n',
    ],
    [
      'spec.csi.readOnly = null',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…Attributes": {\n    "a": "b"\n',
    ],
    [
      'spec.csi.volumeAttributes.a = ""',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…\n   "NodeStageSecretRef": {\n',
    ],
    [
      '-spec.csi.nodeStageSecretRef.name',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…odePublishSecretRef": null,\n',
    ],
    [
      '-spec.csi.nodeStageSecretRef.namespace',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…llerExpandSecretRef": null,\n',
    ],
    [
      '-spec.csi.driver',
      'spec.csi.driver: Required value',
      'spec.csi.driver: Required value',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n… true,\n   "FSType": "ext4",\n',
    ],
    [
      '-spec.csi.volumeAttributes',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…retRef": {\n    "Name": "s",\n',
    ],
    [
      '-spec.csi.volumeAttributes.a',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…retRef": {\n    "Name": "s",\n',
    ],
    [
      '-spec.csi.nodeStageSecretRef',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…"NodeExpandSecretRef": null\n',
    ],
    [
      'spec.csi.volumeHandle = a × 300',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…",\n   "VolumeAttributes": {\n',
    ],
    [
      'spec.csi = null',
      'spec: Required value: must specify a volume type',
      'spec: Required value: must specify a volume type',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n…: null\n- }\n+ "CSI": null\n }\n',
    ],
  ],
})
