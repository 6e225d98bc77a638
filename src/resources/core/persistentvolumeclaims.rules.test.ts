import { ruleTables } from '../rule-table.contract.ts'
import { persistentVolumeClaims } from './persistentvolumeclaims.ts'

ruleTables(persistentVolumeClaims, {
  object: `
metadata: {name: p}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: "1Gi"}}}
`,
  filled: ['spec.volumeMode = Filesystem', 'status = {}'],
  create: [
    ['spec.dataSourceRef = {kind: K, name: b, namespace: other}', '-spec.dataSourceRef'],
    ['-spec.resources', 'spec.resources[storage]: Required value'],
    ['-metadata.name', 'metadata.name: Required value: name or generateName is required'],
    ['-spec.accessModes', 'spec.accessModes: Required value: at least 1 access mode is required'],
    ['spec.resources.requests.storage = null', 'spec.resources[storage]: Invalid value: "0": must be greater than zero'],
    [
      'spec.accessModes[0] = ""',
      'spec.accessModes: Unsupported value: "": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      'metadata.name = "Bad_Name!"',
      `metadata.name: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.name = a × 300',
      'metadata.name: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
  ],
  update: [
    [
      'spec.resources.requests.key = 5',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes… "storage": "1Gi"\n   }\n  },\n',
    ],
    [
      'spec.accessModes = [ReadWriteOnce, ReadWriteOnce]',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…e"\n  ],\n  "Selector": null,\n',
    ],
    [
      'spec.resources.requests.storage = 3',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes… }\n  },\n  "VolumeName": "",\n',
    ],
    [
      'spec.accessModes = null',
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…rces": {\n   "Limits": null,\n',
    ],
    [
      'spec.accessModes[0] = ""',
      'spec.accessModes: Unsupported value: "": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…or": null,\n  "Resources": {\n',
    ],
    [
      '-spec.resources',
      'spec.resources[storage]: Required value',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…  "StorageClassName": null,\n',
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
    [
      'spec.resources.requests.storage = null',
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes… }\n  },\n  "VolumeName": "",\n',
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
    [
      '-spec.resources.requests.storage',
      'spec.resources[storage]: Required value',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…  "StorageClassName": null,\n',
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
    [
      '-spec',
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…  "StorageClassName": null,\n',
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
  ],
  status: [['metadata.labels = {changed: "yes"} && -spec.accessModes && -spec.resources', 'metadata.labels = {changed: "yes"}']],
})

ruleTables(persistentVolumeClaims, {
  object: `
metadata: {name: p1, labels: {app: web, example.com/tier: front}, annotations: {example.com/note: hello}}
spec:
  accessModes: [ReadWriteMany]
  resources: {requests: {storage: "1Gi"}, limits: {storage: "2Gi"}}
  storageClassName: fast
  volumeMode: Block
  volumeName: v
  selector: {matchLabels: {a: b}}
  dataSourceRef: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: s}
  volumeAttributesClassName: gold
`,
  filled: ['spec.dataSource = {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: s}', 'status = {}'],
  create: [
    ['spec.volumeMode = ""', 'spec.volumeMode: Unsupported value: "": supported values: "Block", "Filesystem"'],
    ['spec.dataSourceRef.name = ""', 'spec.dataSource.name: Required value', 'spec.dataSourceRef.name: Required value'],
    [
      'metadata.labels[Bad Key!] = x',
      `metadata.labels: Invalid value: "Bad Key!": name part must consist of alphanumeric characters, '…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.selector.matchLabels[Bad Key!] = x',
      `spec.selector.matchLabels: Invalid value: "Bad Key!": name part must consist of alphanumeric cha…A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.labels.key = "a b!"',
      `metadata.labels: Invalid value: "a b!": a valid label must be an empty string or consist of alph…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.storageClassName = "Bad_Name!"',
      `spec.storageClassName: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist o…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.selector.matchLabels.key = "a b!"',
      `spec.selector.matchLabels: Invalid value: "a b!": a valid label must be an empty string or consi…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'spec.volumeAttributesClassName = "Bad_Name!"',
      `spec.volumeAttributesClassName: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.labels.app = a × 300',
      'metadata.labels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.storageClassName = a × 300',
      'spec.storageClassName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.selector.matchLabels.a = a × 300',
      'spec.selector.matchLabels: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…ust be no more than 63 bytes',
    ],
    [
      'spec.volumeAttributesClassName = a × 300',
      'spec.volumeAttributesClassName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      '-spec.dataSourceRef.apiGroup && -spec.dataSourceRef.kind && -spec.dataSourceRef.name',
      'spec.dataSource.name: Required value',
      'spec.dataSource.kind: Required value',
      `spec.dataSource: Invalid value: "": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
      'spec.dataSourceRef.name: Required value',
      'spec.dataSourceRef.kind: Required value',
      `spec.dataSourceRef: Invalid value: "": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
    ],
  ],
  update: [
    [
      'spec.selector.matchLabels.a = null',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…\n   }\n  },\n  "Resources": {\n',
    ],
    [
      'spec.accessModes = [ReadWriteMany, ReadWriteMany]',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…eMany"\n  ],\n  "Selector": {\n',
    ],
    [
      'spec.resources.requests.storage = 7',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…}\n  },\n  "VolumeName": "v",\n',
    ],
    [
      'spec.resources.limits.storage = 7',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…ts": {\n    "storage": "1Gi"\n',
    ],
    [
      'spec.volumeAttributesClassName = ""',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…AttributesClassName": ""\n }\n',
    ],
    [
      'spec.resources.limits = null',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…{\n    "storage": "1Gi"\n   }\n',
    ],
    [
      '-spec.resources.limits.storage',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…{\n    "storage": "1Gi"\n   }\n',
    ],
    [
      'spec.volumeName = null',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes… "Block",\n  "DataSource": {\n',
    ],
    [
      '-spec.storageClassName',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes… "snapshot.storage.k8s.io",\n',
    ],
    [
      'spec.storageClassName = ""',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes… "snapshot.storage.k8s.io",\n',
    ],
    [
      '-spec.selector.matchLabels',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…ts": {\n    "storage": "2Gi"\n',
    ],
    [
      '-spec.accessModes',
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…atchLabels": {\n    "a": "b"\n',
    ],
    [
      'spec.accessModes = []',
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…atchLabels": {\n    "a": "b"\n',
    ],
    [
      'spec.storageClassName = fastx',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes… "snapshot.storage.k8s.io",\n',
    ],
    [
      'spec.accessModes = [null, ReadWriteMany]',
      'spec.accessModes: Unsupported value: "": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…eMany"\n  ],\n  "Selector": {\n',
    ],
    [
      'spec.accessModes[0] = ""',
      'spec.accessModes: Unsupported value: "": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…tor": {\n   "matchLabels": {\n',
    ],
    [
      '-spec.volumeMode',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…  "Kind": "VolumeSnapshot",\n',
      'volumeMode: Invalid value: "Filesystem": field is immutable',
    ],
    [
      '-spec.resources.requests',
      'spec.resources[storage]: Required value',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…"StorageClassName": "fast",\n',
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
    [
      '-spec.resources.requests.storage',
      'spec.resources[storage]: Required value',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…"StorageClassName": "fast",\n',
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
    [
      'spec.volumeMode = ""',
      'spec.volumeMode: Unsupported value: "": supported values: "Block", "Filesystem"',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…  "Kind": "VolumeSnapshot",\n',
      'volumeMode: Invalid value: "": field is immutable',
    ],
    [
      '-spec.resources',
      'spec.resources[storage]: Required value',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…"StorageClassName": "fast",\n',
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
    [
      'spec.dataSourceRef.name = "Bad_Name!"',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…ttributesClassName": "gold"\n',
    ],
    [
      'spec.dataSourceRef.kind = VolumeSnapshotx',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…,\n   "Namespace": null\n  },\n',
    ],
    [
      '-spec.dataSourceRef.kind',
      'spec.dataSource.kind: Required value',
      'spec.dataSourceRef.kind: Required value',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…,\n   "Namespace": null\n  },\n',
    ],
    [
      'spec.dataSourceRef.name = null',
      'spec.dataSource.name: Required value',
      'spec.dataSourceRef.name: Required value',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…ttributesClassName": "gold"\n',
    ],
    [
      'spec.dataSourceRef = null',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…ibutesClassName": "gold"\n }\n',
    ],
    [
      'spec.dataSourceRef.apiGroup = snapshot.storage.k8s.iox',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…: "s",\n   "Namespace": null\n',
    ],
    [
      'spec.selector.matchLabels.a = "Bad_Name!"',
      `spec.selector.matchLabels: Invalid value: "Bad_Name!": a valid label must be an empty string or …Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…\n   }\n  },\n  "Resources": {\n',
    ],
    [
      'spec.selector.matchLabels.key = "a b!"',
      `spec.selector.matchLabels: Invalid value: "a b!": a valid label must be an empty string or consi…Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…\n   }\n  },\n  "Resources": {\n',
    ],
    [
      'spec.volumeName = a × 300',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes… "Block",\n  "DataSource": {\n',
    ],
    [
      'spec.volumeAttributesClassName = "Bad_Name!"',
      `spec.volumeAttributesClassName: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must …-9]([-a-z0-9]*[a-z0-9])?)*')`,
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…sClassName": "Bad_Name!"\n }\n',
    ],
    [
      'spec.storageClassName = "Bad_Name!"',
      `spec.storageClassName: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist o…-9]([-a-z0-9]*[a-z0-9])?)*')`,
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes… "snapshot.storage.k8s.io",\n',
    ],
    [
      'spec.dataSourceRef.apiGroup = ""',
      `spec.dataSource: Invalid value: "VolumeSnapshot": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
      `spec.dataSourceRef: Invalid value: "VolumeSnapshot": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…: "s",\n   "Namespace": null\n',
    ],
    [
      'spec.dataSourceRef.apiGroup = null',
      `spec.dataSource: Invalid value: "VolumeSnapshot": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
      `spec.dataSourceRef: Invalid value: "VolumeSnapshot": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributes…: "s",\n   "Namespace": null\n',
    ],
    ['metadata.annotations.key = "a b!"', 'metadata.annotations.key = "a b!"'],
  ],
})

ruleTables(persistentVolumeClaims, {
  object: `
metadata: {name: c}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`,
  update: [
    // The class moves from the older annotation to the field.
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class] = fast -> spec.storageClassName = fast && -metadata.annotations[volume.beta.kubernetes.io/storage-class]',
      '-metadata.annotations',
      'spec.storageClassName = fast',
    ],
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class] = fast -> spec.storageClassName = slow && -metadata.annotations[volume.beta.kubernetes.io/storage-class]',
      'metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "": field is immutable',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims…',
    ],
    [
      'spec.storageClassName = a -> spec.storageClassName = b',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims…',
    ],
  ],
})
