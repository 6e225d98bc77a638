import { ruleTables } from '../../rule-table.contract.ts'
import { persistentVolumeClaims } from '../persistentvolumeclaims.ts'

ruleTables(persistentVolumeClaims, {
  object: `
metadata: {name: c}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`,
  create: [
    ['-spec.accessModes', 'spec.accessModes: Required value: at least 1 access mode is required'],
    [
      'spec.accessModes = [Odd]',
      'spec.accessModes: Unsupported value: "Odd": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      'spec.accessModes = [ReadWriteOncePod, ReadWriteOnce]',
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    ],
    ['-spec.resources', 'spec.resources[storage]: Required value'],
    ['spec.resources.requests.storage = 0', 'spec.resources[storage]: Invalid value: "0": must be greater than zero'],
    [
      'spec.storageClassName = A',
      `spec.storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.storageClassName = ""'],
    ['spec.volumeMode = Odd', 'spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"'],
    [
      'spec.selector = {matchLabels: {"a b": c}}',
      `spec.selector.matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, …or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.volumeAttributesClassName = A',
      `spec.volumeAttributesClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of l…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.volumeAttributesClassName = ""'],
    [
      'spec.dataSource = {kind: PersistentVolumeClaim, name: d}',
      'spec.dataSource.apiGroup = null',
      'spec.dataSourceRef = {apiGroup: null, kind: PersistentVolumeClaim, name: d}',
    ],
    ['spec.dataSource = {kind: Other, name: d}', '-spec.dataSource'],
    [
      'spec.dataSource = {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: d}',
      'spec.dataSourceRef = {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: d}',
    ],
    ['spec.dataSource = {apiGroup: a.b, kind: Other, name: d}', '-spec.dataSource'],
    ['spec.dataSourceRef = {apiGroup: a.b, kind: Other, name: d}', 'spec.dataSource = {apiGroup: a.b, kind: Other, name: d}'],
    [
      'spec.dataSourceRef = {kind: PersistentVolumeClaim, name: d}',
      'spec.dataSourceRef.apiGroup = null',
      'spec.dataSource = {apiGroup: null, kind: PersistentVolumeClaim, name: d}',
    ],
    [
      'spec.dataSource = {kind: PersistentVolumeClaim, name: d} && spec.dataSourceRef = {kind: PersistentVolumeClaim, name: e}',
      'spec: Invalid value: {}: must match dataSourceRef',
    ],
    [
      'spec.dataSourceRef = {kind: Other, name: ""}',
      'spec.dataSource.name: Required value',
      `spec.dataSource: Invalid value: "Other": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
      'spec.dataSourceRef.name: Required value',
      `spec.dataSourceRef: Invalid value: "Other": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
    ],
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class] = x',
      'warning: metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    ],
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class] = X',
      'warning: metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    ],
    ['spec.resources.limits = {storage: 2Gi}'],
    [
      'spec.resources.requests.storage = 1500m',
      'warning: spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  ],
  update: [
    [
      'spec.accessModes = [ReadWriteMany]',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClas…  "ReadWriteMany"\n  ],\n  "Selector": null,\n  "Resources": {\n',
    ],
    [
      'spec.resources.requests.storage = 2Gi',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClas…": "1Gi"\n+   "storage": "2Gi"\n   }\n  },\n  "VolumeName": "",\n',
    ],
    ['status.phase = Bound -> spec.resources.requests.storage = 2Gi', 'spec.resources.requests.storage = "2Gi"'],
    [
      'status.phase = Bound && status.capacity = {storage: 1Gi} -> spec.resources.requests.storage = 512Mi',
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
    [
      'status.phase = Bound && status.capacity = {storage: 1Gi} && spec.resources.requests.storage = 3Gi -> spec.resources.requests.storage = 2Gi',
      'spec.resources.requests.storage = "2Gi"',
    ],
    [
      'status.phase = Bound && status.capacity = {storage: 1Gi} && spec.resources.requests.storage = 3Gi -> spec.resources.requests.storage = 1Gi',
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
    ['spec.volumeName = v', 'spec.volumeName = v'],
    [
      'spec.volumeName = v -> spec.volumeName = w',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClas…: null,\n  "VolumeMode": "Filesystem",\n  "DataSource": null,\n',
    ],
    ['spec.storageClassName = fast', 'spec.storageClassName = fast'],
    [
      'spec.storageClassName = fast -> spec.storageClassName = slow',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClas…Filesystem",\n  "DataSource": null,\n  "DataSourceRef": null,\n',
    ],
    [
      'spec.volumeMode = Block',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClas… "DataSourceRef": null,\n  "VolumeAttributesClassName": null\n',
      'volumeMode: Invalid value: "Block": field is immutable',
    ],
    [
      'spec.volumeAttributesClassName = gold',
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClas…esClassName": null\n+ "VolumeAttributesClassName": "gold"\n }\n',
    ],
    ['status.phase = Bound -> spec.volumeAttributesClassName = gold', 'spec.volumeAttributesClassName = gold'],
    ['status.phase = Bound && spec.volumeAttributesClassName = gold -> -spec.volumeAttributesClassName', '-spec.volumeAttributesClassName'],
    [
      'status.phase = Bound && spec.volumeAttributesClassName = gold -> spec.volumeAttributesClassName = ""',
      'spec.volumeAttributesClassName = ""',
    ],
    [
      'status.phase = Bound && spec.volumeAttributesClassName = gold -> spec.volumeAttributesClassName = silver',
      'spec.volumeAttributesClassName = silver',
    ],
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class] = x',
      'metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "x": field is immutable',
    ],
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class] = x -> -metadata.annotations',
      'metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "": field is immutable',
    ],
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class] = x -> metadata.annotations[volume.beta.kubernetes.io/storage-class] = z && spec.storageClassName = x',
      'metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "z": field is immutable',
    ],
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class] = x && spec.storageClassName = x',
      'metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: "x": field is immutable',
    ],
    ['metadata.annotations[volume.beta.kubernetes.io/storage-class] = "" -> -metadata.annotations', '-metadata.annotations'],
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class] = "" -> spec.storageClassName = a',
      'spec: Forbidden: spec is immutable after creation except…',
    ],
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class] = x -> -metadata.annotations && spec.storageClassName = x',
      '-metadata.annotations',
      'spec.storageClassName = x',
    ],
  ],
  status: [
    [
      'status.phase = Bound && status.accessModes = [ReadWriteOnce] && status.capacity = {storage: 1Gi}',
      'status.phase = Bound',
      'status.accessModes = [ReadWriteOnce]',
      'status.capacity = {storage: "1Gi"}',
    ],
    ['status.accessModes = []'],
    ['status.capacity = {storage: -1}', 'status.capacity[storage]: Invalid value: -1: must be a valid resource quantity'],
    [
      'status.conditions = [{type: Resizing, status: "True"}]',
      'status.conditions = [{type: Resizing, status: "True", lastProbeTime: null, lastTransitionTime: null}]',
    ],
    [
      'status.allocatedResources = {storage: 2Gi} && status.allocatedResourceStatuses = {storage: NodeResizePending}',
      'status.allocatedResources = {storage: "2Gi"}',
      'status.allocatedResourceStatuses = {storage: NodeResizePending}',
    ],
    [
      'status.allocatedResourceStatuses = {storage: Odd}',
      'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeI…sizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
    ],
    [
      'status.allocatedResources = {storage: -1}',
      'status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity',
    ],
    ['status.allocatedResources = {cpu: 1}', 'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"'],
    ['status.allocatedResourceStatuses = {a.b/c: NodeResizePending}', 'status.allocatedResourceStatuses = {a.b/c: NodeResizePending}'],
    [
      'status.modifyVolumeStatus = {targetVolumeAttributesClassName: gold, status: Pending}',
      'status.modifyVolumeStatus = {targetVolumeAttributesClassName: gold, status: Pending}',
    ],
    ['status.modifyVolumeStatus = {status: ""}', 'status.modifyVolumeStatus = {status: ""}'],
  ],
})
