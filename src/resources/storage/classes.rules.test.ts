import { ruleTables } from '../rule-table.contract.ts'
import { volumeAttachments } from './volumeattachments.ts'
import { volumeAttributesClasses } from './volumeattributesclasses.ts'

ruleTables(volumeAttributesClasses, {
  object: `
metadata: {name: gold}
driverName: a.b
parameters: {iops: "5"}
`,
  create: [
    ['-driverName', 'driverName: Required value'],
    [
      'driverName = "a b"',
      `driverName: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.'…or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    ['-parameters', 'parameters: Required value: must contain at least one key/value pair'],
    ['parameters = {"": x}', 'parameters: Invalid value: "": field can not be empty.'],
  ],
  update: [
    ['driverName = c.d', 'driverName: Forbidden: updates to driverName are forbidden.'],
    ['parameters.iops = "6"', 'parameters: Forbidden: updates to parameters are forbidden.'],
    ['metadata.labels.a = b', 'metadata.labels = {a: b}'],
    [
      '-parameters',
      'parameters: Required value: must contain at least one key/value pair',
      'parameters: Forbidden: updates to parameters are forbidden.',
    ],
  ],
})

ruleTables(volumeAttachments, {
  object: `
metadata: {name: a}
spec: {attacher: a.b, nodeName: m, source: {persistentVolumeName: v}}
`,
  create: [
    ['-spec.attacher', 'spec.attacher: Required value'],
    [
      'spec.attacher = "a b"',
      `spec.attacher: Invalid value: "a b": a lowercase RFC 1123 subdomain must consist of lower case alpha…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      '-spec.nodeName',
      `spec.nodeName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alphanum…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['-spec.source', 'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
    [
      '-spec.source.persistentVolumeName',
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    ],
    [
      'spec.source.persistentVolumeName = ""',
      'spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName',
      `spec.source.persistentVolumeName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of …-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.source.inlineVolumeSpec = {csi: {driver: a.b, volumeHandle: h}, accessModes: [ReadWriteOnce]}',
      'spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
    ],
    [
      '-spec.source.persistentVolumeName && spec.source.inlineVolumeSpec = {csi: {driver: a.b, volumeHandle: h}, accessModes: [ReadWriteOnce]}',
    ],
    [
      '-spec.source.persistentVolumeName && spec.source.inlineVolumeSpec = {accessModes: [ReadWriteOnce]}',
      'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec: Required value: must specify a volume type',
    ],
    [
      '-spec.source.persistentVolumeName && spec.source.inlineVolumeSpec = {csi: {driver: a.b, volumeHandle: h}}',
      'spec.source.inlineVolumeSpec.accessModes: Required value',
    ],
    [
      '-spec.source.persistentVolumeName && spec.source.inlineVolumeSpec = {csi: {driver: a.b, volumeHandle: h}, accessModes: [Odd]}',
      'spec.source.inlineVolumeSpec.accessModes: Unsupported value: "Odd": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      '-spec.source.persistentVolumeName && spec.source.inlineVolumeSpec = {csi: {driver: a.b, volumeHandle: h}, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}}',
      'spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes',
    ],
    [
      '-spec.source.persistentVolumeName && spec.source.inlineVolumeSpec = {csi: {driver: a.b, volumeHandle: h}, accessModes: [ReadWriteOnce], claimRef: {name: x}, nodeAffinity: {}}',
      'spec.source.inlineVolumeSpec.claimRef: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.nodeAffinity: Forbidden: may not be specified in the context of inline volumes',
    ],
    [
      '-spec.source.persistentVolumeName && spec.source.inlineVolumeSpec = {csi: {driver: a.b, volumeHandle: h}, accessModes: [ReadWriteOnce], persistentVolumeReclaimPolicy: Delete}',
      'spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes',
    ],
    [
      '-spec.source.persistentVolumeName && spec.source.inlineVolumeSpec = {csi: {driver: a.b, volumeHandle: h}, accessModes: [ReadWriteOnce], persistentVolumeReclaimPolicy: Retain}',
    ],
    [
      '-spec.source.persistentVolumeName && spec.source.inlineVolumeSpec = {csi: {driver: a.b, volumeHandle: h}, accessModes: [ReadWriteOnce], storageClassName: x, volumeMode: Block}',
      'spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes',
    ],
    [
      '-spec.source.persistentVolumeName && spec.source.inlineVolumeSpec = {csi: {driver: a.b}, accessModes: [ReadWriteOnce]}',
      'spec.source.inlineVolumeSpec.csi.volumeHandle: Required value',
    ],
    ['status.attached = true', 'status.attached = false'],
  ],
  update: [
    [
      '-spec.source.persistentVolumeName && spec.source.inlineVolumeSpec = {rbd: {monitors: [m], image: i}, accessModes: [ReadWriteOnce]}',
      'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
      'spec: Invalid value: {"Attacher":"a.b","Source":{"PersistentVolumeName":null,"InlineVolumeSpec":{"Capacity":null,"GCEPersistentDisk":null,"AWSElasticBlockStore":null,"HostPath":null,"Glusterfs":null,"NFS":null,"RBD":{"CephMonitors":["m"],"RBDImage":"i","FSType":"","RBDPool":"rbd","RadosUser":"admin","Keyring":"/etc/ceph/keyring","SecretRef":null,"ReadOnly":false},"Quobyte":null,"ISCSI":null,"FlexVolume":null,"Cinder":null,"CephFS":null,"FC":null,"Flocker":null,"AzureFile":null,"VsphereVolume":null,"AzureDisk":null,"PhotonPersistentDisk":null,"PortworxVolume":null,"ScaleIO":null,"Local":null,"StorageOS":null,"CSI":null,"AccessModes":["ReadWriteOnce"],"ClaimRef":null,"PersistentVolumeReclaimPolicy":"","StorageClassName":"","MountOptions":null,"VolumeMode":null,"NodeAffinity":null,"VolumeAttributesClassName":null}},"NodeName":"m"}: field is immutable',
    ],
    [
      'spec.nodeName = n2',
      'spec: Invalid value: {"Attacher":"a.b","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"n2"}: field is immutable',
    ],
    ['metadata.labels.a = b', 'metadata.labels = {a: b}'],
  ],
  status: [
    ['status = {attached: true, attachmentMetadata: {a: b}}', 'status.attached = true', 'status.attachmentMetadata = {a: b}'],
    [
      'status.attached = true && status.attachmentMetadata.a = x × 262143',
      'status.attached = true',
      'status.attachmentMetadata = {a: x × 262143}',
    ],
    [
      'status.attached = true && status.attachmentMetadata.a = x × 262144',
      'status.attachmentMetadata: Too long: may not be more than 262144 bytes',
    ],
    ['status.attached = false && status.detachError.message = x × 1024', 'status.detachError = {time: null, message: x × 1024}'],
    [
      'status.attached = false && status.attachError.message = x × 1025',
      'status.attachError.message: Too long: may not be more than 262144 bytes',
    ],
    ['status = {attached: false, attachError: {message: m}}', 'status.attachError = {time: null, message: m}'],
    ['spec.nodeName = n2 && status.attached = true', 'status.attached = true'],
  ],
})
