import { ruleTables } from '../../rule-table.contract.ts'
import { persistentVolumes } from '../persistentvolumes.ts'

ruleTables(persistentVolumes, {
  object: `
metadata: {name: v}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /x}}
`,
  create: [
    ['-spec.accessModes', 'spec.accessModes: Required value'],
    [
      'spec.accessModes = [Odd]',
      'spec.accessModes: Unsupported value: "Odd": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      'spec.accessModes = [ReadWriteOncePod, ReadWriteOnce]',
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    ],
    ['spec.accessModes = [ReadWriteOncePod]'],
    ['-spec.capacity', 'spec.capacity: Required value', 'spec.capacity: Unsupported value: null: supported values: "storage"'],
    ['spec.capacity = {storage: 0}', 'spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
    [
      'spec.capacity = {storage: -1}',
      'spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
      'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
    ],
    ['spec.capacity = {cpu: 1}', 'spec.capacity: Unsupported value: {"cpu":"1"}: supported values: "storage"'],
    [
      'spec.capacity = {storage: 1Gi, cpu: 1}',
      'spec.capacity: Unsupported value: {"cpu":"1","storage":"1Gi"}: supported values: "storage"',
    ],
    [
      'spec.persistentVolumeReclaimPolicy = Odd',
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "Odd": supported values: "Delete", "Recycle", "Retain"',
    ],
    [
      'spec.persistentVolumeReclaimPolicy = Recycle',
      'warning: spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    ],
    [
      'spec.persistentVolumeReclaimPolicy = Recycle && spec.nodeAffinity = {required: {nodeSelectorTerms: [{matchExpressions: [{key: app.kubernetes.io/created-by, operator: Exists}]}]}}',
      'warning: spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      'warning: spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: app.kubernetes.io/created-by is deprecated since v1.9',
    ],
    [
      'spec.persistentVolumeReclaimPolicy = Recycle && spec.hostPath.path = /',
      `spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'`,
    ],
    [
      'spec.persistentVolumeReclaimPolicy = Recycle && spec.hostPath.path = /.',
      `spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'`,
    ],
    ['spec.persistentVolumeReclaimPolicy = Retain && spec.hostPath.path = /'],
    ['spec.nodeAffinity = {}', 'spec.nodeAffinity.required: Required value: must specify required node constraints'],
    [
      'spec.nodeAffinity = {required: {nodeSelectorTerms: []}}',
      'spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
    ['spec.nodeAffinity = {required: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}}'],
    [
      'spec.storageClassName = A',
      `spec.storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.volumeMode = Odd', 'spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"'],
    ['spec.volumeMode = Block'],
    [
      'spec.volumeAttributesClassName = ""',
      'spec.volumeAttributesClassName: Required value: an empty string is disallowed',
      'spec.csi: Required value: has to be specified when using volumeAttributesClassName',
    ],
    ['spec.volumeAttributesClassName = a', 'spec.csi: Required value: has to be specified when using volumeAttributesClassName'],
    [
      'spec.volumeAttributesClassName = A',
      `spec.volumeAttributesClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of l…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      'spec.csi: Required value: has to be specified when using volumeAttributesClassName',
    ],
    ['-spec.hostPath', 'spec: Required value: must specify a volume type'],
    ['-spec.hostPath && spec.local = {path: /m}', 'spec.nodeAffinity: Required value: Local volume requires node affinity'],
    ['-spec.hostPath && spec.local = {path: /m} && spec.nodeAffinity = {required: {nodeSelectorTerms: [{}]}}'],
    [
      '-spec.hostPath && spec.local = {path: /m/../x}',
      `spec.local.path: Invalid value: "/m/../x": must not contain '..'`,
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
    ],
    [
      '-spec.hostPath && spec.local = {}',
      'spec.local.path: Required value',
      'spec.nodeAffinity: Required value: Local volume requires node affinity',
    ],
    ['spec.nfs = {server: s, path: /p}', 'spec.nfs: Forbidden: may not specify more than 1 volume type'],
    ['-spec.hostPath && spec.csi = {driver: a.b, volumeHandle: h}'],
    ['-spec.hostPath && spec.csi = {driver: a.b}', 'spec.csi.volumeHandle: Required value'],
    ['-spec.hostPath && spec.csi = {volumeHandle: h}', 'spec.csi.driver: Required value'],
    ['-spec.hostPath && spec.csi = {driver: a.b, volumeHandle: h, nodeStageSecretRef: {name: s}}'],
    ['-spec.hostPath && spec.csi = {driver: a.b, volumeHandle: h, nodeStageSecretRef: {name: s, namespace: x}}'],
    [
      '-spec.hostPath && spec.csi = {driver: a.b, volumeHandle: h, controllerPublishSecretRef: {namespace: x}}',
      'spec.csi.controllerPublishSecretRef.name: Required value',
    ],
    [
      '-spec.hostPath && spec.csi = {driver: a.b, volumeHandle: h, nodePublishSecretRef: {name: S, namespace: x}}',
      `spec.csi.nodePublishSecretRef.name: Invalid value: "S": a lowercase RFC 1123 subdomain must consist …-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      '-spec.hostPath && spec.csi = {driver: a.b, volumeHandle: h, controllerExpandSecretRef: {}}',
      'spec.csi.controllerExpandSecretRef.name: Required value',
      'spec.csi.controllerExpandSecretRef.namespace: Required value',
    ],
    [
      '-spec.hostPath && spec.csi = {driver: a.b, volumeHandle: h, nodeExpandSecretRef: {name: s, namespace: X}}',
      `spec.csi.nodeExpandSecretRef.namespace: Invalid value: "X": a lowercase RFC 1123 label must consist …egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    ['-spec.hostPath && spec.csi = {driver: a.b, volumeHandle: h} && spec.volumeAttributesClassName = gold'],
    [
      '-spec.hostPath && spec.rbd = {monitors: [m], image: i}',
      'warning: spec.rbd: deprecated in v1.28, non-functional in v1.31+',
      'spec.rbd.pool = rbd',
      'spec.rbd.user = admin',
      'spec.rbd.keyring = /etc/ceph/keyring',
    ],
    ['-spec.hostPath && spec.iscsi = {targetPortal: t, iqn: eui.0123456789abcdef, lun: 0}', 'spec.iscsi.iscsiInterface = default'],
    ['-spec.hostPath && spec.iscsi = {targetPortal: t, iqn: x, lun: 0}', 'spec.iscsi.iqn: Invalid value: "x": must be valid format'],
    [
      '-spec.hostPath && spec.iscsi = {targetPortal: t, iqn: eui.0123456789abcdef, lun: 0, secretRef: {}} && spec.iscsi.chapAuthSession = true',
      'spec.iscsi.secretRef.name: Required value',
    ],
    [
      '-spec.hostPath && spec.scaleIO = {gateway: g, system: s, volumeName: vn, secretRef: {name: x}}',
      'warning: spec.scaleIO: deprecated in v1.16, non-functional in v1.22+',
      'spec.scaleIO.storageMode = ThinProvisioned',
      'spec.scaleIO.fsType = xfs',
    ],
    [
      '-spec.hostPath && spec.azureDisk = {diskName: d, diskURI: "https://a/b"}',
      'spec.azureDisk.cachingMode = ReadWrite',
      'spec.azureDisk.kind = Shared',
      'spec.azureDisk.fsType = ext4',
      'spec.azureDisk.readOnly = false',
    ],
    ['-spec.hostPath && spec.azureFile = {secretName: s, shareName: x}', 'spec.azureFile.secretNamespace = null'],
    [
      '-spec.hostPath && spec.azureFile = {secretName: s, shareName: x, secretNamespace: ""}',
      'spec.azureFile.secretNamespace: Required value',
    ],
    ['-spec.hostPath && spec.azureFile = {}', 'spec.azureFile.secretName: Required value', 'spec.azureFile.shareName: Required value'],
    [
      '-spec.hostPath && spec.glusterfs = {endpoints: e, path: p}',
      'warning: spec.glusterfs: deprecated in v1.25, non-functional in v1.26+',
    ],
    [
      '-spec.hostPath && spec.glusterfs = {endpoints: e, path: p, endpointsNamespace: ""}',
      'spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name',
    ],
    ['-spec.hostPath && spec.cephfs = {monitors: []}', 'spec.cephfs.monitors: Required value'],
    ['-spec.hostPath && spec.flexVolume = {}', 'spec.flexVolume.driver: Required value'],
    ['-spec.hostPath && spec.storageos = {volumeName: x, secretRef: {name: s}}', 'spec.storageos.secretRef.namespace: Required value'],
    ['-spec.hostPath && spec.fc = {wwids: [a]}'],
    ['-spec.hostPath && spec.nfs = {server: s, path: p}', 'spec.nfs.path: Invalid value: "p": must be an absolute path'],
    ['-spec.hostPath && spec.cinder = {volumeID: i, secretRef: {name: s}}', 'spec.cinder.secretRef.namespace: Required value'],
    [
      '-spec.hostPath && spec.photonPersistentDisk = {pdID: p}',
      'warning: spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
    ],
    ['-spec.hostPath && spec.quobyte = {registry: "a:1", volume: x}'],
    ['-spec.hostPath && spec.flocker = {datasetUUID: u}'],
    ['-spec.hostPath && spec.gcePersistentDisk = {}', 'spec.persistentDisk.pdName: Required value'],
    ['-spec.hostPath && spec.vsphereVolume = {}', 'spec.vsphereVolume.volumePath: Required value'],
    ['-spec.hostPath && spec.portworxVolume = {}', 'spec.portworxVolume.volumeID: Required value'],
    ['-spec.hostPath && spec.awsElasticBlockStore = {}', 'spec.awsElasticBlockStore.volumeID: Required value'],
    [
      'metadata.annotations[volume.beta.kubernetes.io/mount-options] = ro',
      'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type',
    ],
    [
      'metadata.annotations[volume.beta.kubernetes.io/mount-options] = ro && -spec.hostPath && spec.nfs = {server: s, path: /p}',
      'warning: metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
    ],
    [
      'metadata.annotations[volume.beta.kubernetes.io/storage-class] = x',
      'warning: metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    ],
    [
      'spec.persistentVolumeReclaimPolicy = Recycle',
      'warning: spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    ],
  ],
  update: [
    [
      'spec.hostPath.path = /z',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n@@ -…",\n+  "Path": "/z",\n   "Type": ""\n  },\n  "Glusterfs": null,\n',
    ],
    ['spec.capacity.storage = 2Gi', 'spec.capacity.storage = "2Gi"'],
    ['spec.volumeMode = Block', 'volumeMode: Invalid value: "Block": field is immutable'],
    [
      'spec.nodeAffinity = {required: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}}',
      'spec.nodeAffinity = {required: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}}',
    ],
    [
      'spec.nodeAffinity = {required: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Exists}]}]}} -> -spec.nodeAffinity',
      'nodeAffinity: Invalid value: null: field is immutable, except for updating from beta label to GA',
    ],
    [
      'spec.nodeAffinity = {required: {nodeSelectorTerms: [{matchExpressions: [{key: beta.kubernetes.io/os, operator: Exists}]}]}} -> spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key = kubernetes.io/os',
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key = kubernetes.io/os',
    ],
    [
      'spec.nodeAffinity = {required: {nodeSelectorTerms: [{matchExpressions: [{key: beta.kubernetes.io/os, operator: Exists}]}]}} -> spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key = kubernetes.io/arch',
      'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"kubernet…ield is immutable, except for updating from beta label to GA',
    ],
    [
      '-spec.hostPath && spec.csi = {driver: a.b, volumeHandle: h} -> spec.csi.controllerExpandSecretRef = {name: s, namespace: x}',
      'spec.csi.controllerExpandSecretRef = {name: s, namespace: x}',
    ],
    [
      '-spec.hostPath && spec.csi = {driver: a.b, volumeHandle: h, controllerExpandSecretRef: {name: s, namespace: x}} -> spec.csi.controllerExpandSecretRef.name = t',
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n@@ -…,\n    "Namespace": "x"\n   },\n   "NodeExpandSecretRef": null\n',
    ],
    [
      'spec.capacity = {storage: -1}',
      'spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
      'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
      'spec.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
      'spec.capacity[storage]: Invalid value: "-1": must be greater than zero',
    ],
  ],
  status: [
    ['status.phase = Bound', 'status.phase = Bound'],
    ['status.lastPhaseTransitionTime = "2025-01-01T00:00:00Z"', 'status.lastPhaseTransitionTime = "2025-01-01T00:00:00Z"'],
    [
      'status.phase = Bound && status.lastPhaseTransitionTime = "2025-01-01T00:00:00Z"',
      'status.phase = Bound',
      'status.lastPhaseTransitionTime = "2025-01-01T00:00:00Z"',
    ],
    ['-status'],
    ['spec.capacity.storage = 2Gi && status.message = x', 'status.message = x'],
  ],
})
