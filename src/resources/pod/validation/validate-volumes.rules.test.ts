import { pods } from '../../core/pods.ts'
import { ruleTables } from '../../rule-table.contract.ts'

ruleTables(pods, {
  object: `
metadata: {name: p}
spec: {serviceAccountName: default, containers: [{name: main, image: app}]}
`,
  create: [
    ['spec.volumes = [{name: v}]', 'spec.volumes[0].emptyDir = {}'],
    ['spec.volumes = [{name: "", emptyDir: {}}]', 'spec.volumes[0].name: Required value'],
    [
      'spec.volumes = [{name: V, emptyDir: {}}]',
      `spec.volumes[0].name: Invalid value: "V": a lowercase RFC 1123 label must consist of lower case alph…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    ['spec.volumes = [{name: v, emptyDir: {}}, {name: v, emptyDir: {}}]', 'spec.volumes[1].name: Duplicate value: "v"'],
    [
      'spec.volumes = [{name: v, emptyDir: {}, hostPath: {path: /x}}]',
      'spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}, cephfs: {monitors: [a]}, downwardAPI: {}}]',
      'spec.volumes[0].cephFS: Forbidden: may not specify more than 1 volume type',
      'spec.volumes[0].downwarAPI: Forbidden: may not specify more than 1 volume type',
    ],
    ['spec.volumes = [{name: v, emptyDir: {sizeLimit: 1Gi}}]'],
    [
      'spec.volumes = [{name: v, emptyDir: {sizeLimit: -1}}]',
      'spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity',
    ],
    ['spec.volumes = [{name: v, emptyDir: {sizeLimit: 0}}]', 'spec.volumes[0].emptyDir.sizeLimit = "0"'],
    ['spec.volumes = [{name: v, hostPath: {}}]', 'spec.volumes[0].hostPath.path: Required value'],
    [
      'spec.volumes = [{name: v, hostPath: {path: /a/../b}}]',
      `spec.volumes[0].hostPath.path: Invalid value: "/a/../b": must not contain '..'`,
    ],
    ['spec.volumes = [{name: v, hostPath: {path: /a, type: Directory}}]'],
    [
      'spec.volumes = [{name: v, hostPath: {path: /a, type: Folder}}]',
      'spec.volumes[0].hostPath.type: Unsupported value: "Folder": supported values: "", "BlockDevice", "Ch…tory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
    [
      'spec.volumes = [{name: v, secret: {secretName: s, defaultMode: 512}}]',
      'spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
    ],
    ['spec.volumes = [{name: v, secret: {}}]', 'spec.volumes[0].secret.secretName: Required value'],
    [
      'spec.volumes = [{name: v, configMap: {name: m, items: [{key: k, path: ..}]}}]',
      `spec.volumes[0].configMap.items[0].path: Invalid value: "..": must not contain '..'`,
      `spec.volumes[0].configMap.items[0].path: Invalid value: "..": must not start with '..'`,
    ],
    ['spec.volumes = [{name: v, configMap: {}}]', 'spec.volumes[0].configMap.name: Required value'],
    ['spec.volumes = [{name: v, persistentVolumeClaim: {}}]', 'spec.volumes[0].persistentVolumeClaim.claimName: Required value'],
    ['spec.volumes = [{name: v, persistentVolumeClaim: {claimName: c}}]'],
    [
      'spec.volumes = [{name: v, downwardAPI: {defaultMode: -1}}]',
      'spec.volumes[0].downwardAPI.defaultMode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive',
    ],
    [
      'spec.volumes = [{name: v, downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.labels}}]}}]',
      'spec.volumes[0].downwardAPI.items[0].fieldRef.apiVersion = v1',
      'spec.volumes[0].downwardAPI.defaultMode = 420',
    ],
    [
      'spec.volumes = [{name: v, downwardAPI: {items: [{path: p, mode: 512, fieldRef: {fieldPath: metadata.labels}}]}}]',
      'spec.volumes[0].downwardAPI.mode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
    ],
    [
      'spec.volumes = [{name: v, downwardAPI: {items: [{path: p, resourceFieldRef: {containerName: main, resource: limits.cpu}}]}}]',
      'spec.volumes[0].downwardAPI.items[0].resourceFieldRef.divisor = "0"',
      'spec.volumes[0].downwardAPI.defaultMode = 420',
    ],
    ['spec.volumes = [{name: v, csi: {}}]', 'spec.volumes[0].csi.driver: Required value'],
    ['spec.volumes = [{name: v, csi: {driver: a.b}}]'],
    [
      'spec.volumes = [{name: v, csi: {driver: "a b"}}]',
      `spec.volumes[0].csi.driver: Invalid value: "a b": a lowercase RFC 1123 subdomain must consist of low…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.volumes = [{name: v, csi: {driver: A.b}}]'],
    ['spec.volumes = [{name: v, csi: {driver: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}}]'],
    [
      'spec.volumes = [{name: v, csi: {driver: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}}]',
      'spec.volumes[0].csi.driver: Too long: may not be more than 63 bytes',
    ],
    [
      'spec.volumes = [{name: v, csi: {driver: a.b, nodePublishSecretRef: {}}}]',
      'spec.volumes[0].csi.nodePublishSecretRef.name: Required value',
    ],
    ['spec.volumes = [{name: v, csi: {driver: a.b, nodePublishSecretRef: {name: s}}}]'],
    [
      'spec.volumes = [{name: v, csi: {driver: a.b, nodePublishSecretRef: {name: S}}}]',
      `spec.volumes[0].csi.name: Invalid value: "S": a lowercase RFC 1123 subdomain must consist of lower c…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.volumes = [{name: v, image: {reference: i}}]', 'spec.volumes[0].image.pullPolicy = Always'],
    ['spec.volumes = [{name: v, image: {reference: "i:1"}}]', 'spec.volumes[0].image.pullPolicy = IfNotPresent'],
    ['spec.volumes = [{name: v, image: {}}]', 'spec.volumes[0].image.reference: Required value'],
    [
      'spec.volumes = [{name: v, image: {reference: i, pullPolicy: Sometimes}}]',
      'spec.volumes[0].image.pullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"',
    ],
    [
      'spec.volumes = [{name: v, gitRepo: {repository: r}}]',
      'warning: spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
    ],
    ['spec.volumes = [{name: v, nfs: {server: s, path: /p}}]'],
    ['spec.volumes = [{name: v, nfs: {server: s, path: p}}]', 'spec.volumes[0].nfs.path: Invalid value: "p": must be an absolute path'],
    [
      'spec.volumes = [{name: v, nfs: {}}]',
      'spec.volumes[0].nfs.server: Required value',
      'spec.volumes[0].nfs.path: Required value',
      'spec.volumes[0].nfs.path: Invalid value: "": must be an absolute path',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: "iqn.2001-04.com.example:storage", lun: 0}}]',
      'spec.volumes[0].iscsi.iscsiInterface = default',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {iqn: "iqn.2001-04.com.example:storage", lun: 256}}]',
      'spec.volumes[0].iscsi.targetPortal: Required value',
      'spec.volumes[0].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: "iqn.2001-04.com.example:storage", lun: 255}}]',
      'spec.volumes[0].iscsi.iscsiInterface = default',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, lun: -1}}]',
      'spec.volumes[0].iscsi.iqn: Required value',
      'spec.volumes[0].iscsi.lun: Invalid value: -1: must be between 0 and 255, inclusive',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: nope, lun: 0}}]',
      'spec.volumes[0].iscsi.iqn: Invalid value: "nope": must be valid format starting with iqn, eui, or naa',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: "iqn.x", lun: 0}}]',
      'spec.volumes[0].iscsi.iqn: Invalid value: "iqn.x": must be valid format',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: eui.0123456789abcdef, lun: 0}}]',
      'spec.volumes[0].iscsi.iscsiInterface = default',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: eui.0123, lun: 0}}]',
      'spec.volumes[0].iscsi.iqn: Invalid value: "eui.0123": must be valid format',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: naa.0123456789abcdef0123456789abcdef, lun: 0}}]',
      'spec.volumes[0].iscsi.iscsiInterface = default',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: naa.01, lun: 0}}]',
      'spec.volumes[0].iscsi.iqn: Invalid value: "naa.01": must be valid format',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: eui.0123456789abcdef, lun: 0, chapAuthSession: true}}]',
      'spec.volumes[0].iscsi.secretRef: Required value',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: eui.0123456789abcdef, lun: 0, chapAuthDiscovery: true, secretRef: {name: s}}}]',
      'spec.volumes[0].iscsi.iscsiInterface = default',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: eui.0123456789abcdef, lun: 0, initiatorName: nope}}]',
      'spec.volumes[0].iscsi.initiatorname: Invalid value: "nope": must be valid format starting with iqn, eui, or naa',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: 10.0.0.1, iqn: eui.0123456789abcdef, lun: 0, initiatorName: eui.0123456789abcdef}}]',
      'spec.volumes[0].iscsi.iscsiInterface = default',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, iqn: eui.0123456789abcdef, lun: 0, initiatorName: eui.0123456789abcdef}}]',
      'spec.volumes[0].iscsi.iscsiInterface = default',
    ],
    [
      'spec.volumes = [{name: v, iscsi: {targetPortal: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, iqn: eui.0123456789abcdef, lun: 0, initiatorName: eui.0123456789abcdef}}]',
      'spec.volumes[0].name: Invalid value: "v": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
    ],
    [
      'spec.volumes = [{name: v, glusterfs: {endpoints: e, path: p}}]',
      'warning: spec.volumes[0].glusterfs: deprecated in v1.25, non-functional in v1.26+',
    ],
    [
      'spec.volumes = [{name: v, glusterfs: {}}]',
      'spec.volumes[0].glusterfs.endpoints: Required value',
      'spec.volumes[0].glusterfs.path: Required value',
    ],
    [
      'spec.volumes = [{name: v, flocker: {datasetName: d}}]',
      'warning: spec.volumes[0].flocker: deprecated in v1.22, non-functional in v1.25+',
    ],
    ['spec.volumes = [{name: v, flocker: {}}]', 'spec.volumes[0].flocker: Required value: one of datasetName and datasetUUID is required'],
    [
      'spec.volumes = [{name: v, flocker: {datasetName: d, datasetUUID: u}}]',
      'spec.volumes[0].flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
    ],
    [
      'spec.volumes = [{name: v, flocker: {datasetName: d/e}}]',
      `spec.volumes[0].flocker.datasetName: Invalid value: "d/e": must not contain '/'`,
    ],
    [
      'spec.volumes = [{name: v, rbd: {monitors: [m], image: i}}]',
      'warning: spec.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+',
      'spec.volumes[0].rbd.pool = rbd',
      'spec.volumes[0].rbd.user = admin',
      'spec.volumes[0].rbd.keyring = /etc/ceph/keyring',
    ],
    ['spec.volumes = [{name: v, rbd: {}}]', 'spec.volumes[0].rbd.monitors: Required value', 'spec.volumes[0].rbd.image: Required value'],
    ['spec.volumes = [{name: v, cinder: {volumeID: i}}]'],
    ['spec.volumes = [{name: v, cinder: {}}]', 'spec.volumes[0].cinder.volumeID: Required value'],
    ['spec.volumes = [{name: v, cinder: {volumeID: i, secretRef: {}}}]', 'spec.volumes[0].cinder.secretRef.name: Required value'],
    [
      'spec.volumes = [{name: v, cephfs: {monitors: [m]}}]',
      'warning: spec.volumes[0].cephfs: deprecated in v1.28, non-functional in v1.31+',
    ],
    ['spec.volumes = [{name: v, cephfs: {}}]', 'spec.volumes[0].cephfs.monitors: Required value'],
    [
      'spec.volumes = [{name: v, quobyte: {registry: "a:1,b:2", volume: x}}]',
      'warning: spec.volumes[0].quobyte: deprecated in v1.22, non-functional in v1.25+',
    ],
    [
      'spec.volumes = [{name: v, quobyte: {volume: x}}]',
      'spec.volumes[0].quobyte.registry: Required value: must be a host:port pair or multiple pairs separated by commas',
    ],
    [
      'spec.volumes = [{name: v, quobyte: {registry: "a:1,b", volume: x}}]',
      'spec.volumes[0].quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas',
    ],
    ['spec.volumes = [{name: v, quobyte: {registry: "[::1]:1"}}]', 'spec.volumes[0].quobyte.volume: Required value'],
    [
      'spec.volumes = [{name: v, quobyte: {registry: "a:1", volume: x, tenant: tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt}}]',
      'warning: spec.volumes[0].quobyte: deprecated in v1.22, non-functional in v1.25+',
    ],
    [
      'spec.volumes = [{name: v, quobyte: {registry: "a:1", volume: x, tenant: ttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt}}]',
      'spec.volumes[0].quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters',
    ],
    ['spec.volumes = [{name: v, azureFile: {secretName: s, shareName: x}}]'],
    [
      'spec.volumes = [{name: v, azureFile: {}}]',
      'spec.volumes[0].azureFile.secretName: Required value',
      'spec.volumes[0].azureFile.shareName: Required value',
    ],
    ['spec.volumes = [{name: v, vsphereVolume: {}}]', 'spec.volumes[0].vsphereVolume.volumePath: Required value'],
    ['spec.volumes = [{name: v, vsphereVolume: {volumePath: p}}]'],
    ['spec.volumes = [{name: v, photonPersistentDisk: {}}]', 'spec.volumes[0].photonPersistentDisk.pdID: Required value'],
    [
      'spec.volumes = [{name: v, photonPersistentDisk: {pdID: p}}]',
      'warning: spec.volumes[0].photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
    ],
    ['spec.volumes = [{name: v, portworxVolume: {}}]', 'spec.volumes[0].portworxVolume.volumeID: Required value'],
    ['spec.volumes = [{name: v, portworxVolume: {volumeID: p}}]'],
    [
      'spec.volumes = [{name: v, azureDisk: {diskName: d, diskURI: "https://a/b"}}]',
      'spec.volumes[0].azureDisk.cachingMode = ReadWrite',
      'spec.volumes[0].azureDisk.kind = Shared',
      'spec.volumes[0].azureDisk.fsType = ext4',
      'spec.volumes[0].azureDisk.readOnly = false',
    ],
    [
      'spec.volumes = [{name: v, azureDisk: {diskName: d, diskURI: x}}]',
      'spec.volumes[0].azureDisk.diskURI: Unsupported value: "x": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
    ],
    [
      'spec.volumes = [{name: v, azureDisk: {diskName: d, diskURI: "https://a/b", kind: Managed}}]',
      'spec.volumes[0].azureDisk.diskURI: Unsupported value: "https://a/b": supported values: "/subscriptio…ps/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
    ],
    [
      'spec.volumes = [{name: v, azureDisk: {diskName: d, diskURI: /subscriptions/a, kind: Managed}}]',
      'spec.volumes[0].azureDisk.cachingMode = ReadWrite',
      'spec.volumes[0].azureDisk.fsType = ext4',
      'spec.volumes[0].azureDisk.readOnly = false',
    ],
    [
      'spec.volumes = [{name: v, azureDisk: {diskName: d, diskURI: "https://a/b", kind: Odd, cachingMode: Odd}}]',
      'spec.volumes[0].azureDisk.cachingMode: Unsupported value: "Odd": supported values: "None", "ReadOnly", "ReadWrite"',
      'spec.volumes[0].azureDisk.kind: Unsupported value: "Odd": supported values: "Dedicated", "Managed", "Shared"',
    ],
    [
      'spec.volumes = [{name: v, azureDisk: {}}]',
      'spec.volumes[0].azureDisk.diskName: Required value',
      'spec.volumes[0].azureDisk.diskURI: Required value',
      'spec.volumes[0].azureDisk.diskURI: Unsupported value: "": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
    ],
    [
      'spec.volumes = [{name: v, storageos: {volumeName: x}}]',
      'warning: spec.volumes[0].storageos: deprecated in v1.22, non-functional in v1.25+',
    ],
    ['spec.volumes = [{name: v, storageos: {}}]', 'spec.volumes[0].storageos.volumeName: Required value'],
    [
      'spec.volumes = [{name: v, storageos: {volumeName: X_, volumeNamespace: Y_}}]',
      `spec.volumes[0].storageos.volumeName: Invalid value: "X_": a lowercase RFC 1123 label must consist o…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      `spec.volumes[0].storageos.volumeNamespace: Invalid value: "Y_": a lowercase RFC 1123 label must cons…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    ['spec.volumes = [{name: v, storageos: {volumeName: x, secretRef: {}}}]', 'spec.volumes[0].storageos.secretRef.name: Required value'],
    ['spec.volumes = [{name: v, fc: {targetWWNs: [a], lun: 0}}]'],
    ['spec.volumes = [{name: v, fc: {wwids: [a]}}]'],
    [
      'spec.volumes = [{name: v, fc: {}}]',
      'spec.volumes[0].fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both',
    ],
    [
      'spec.volumes = [{name: v, fc: {targetWWNs: [a], wwids: [b], lun: 1}}]',
      'spec.volumes[0].fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously',
    ],
    [
      'spec.volumes = [{name: v, fc: {targetWWNs: [a]}}]',
      'spec.volumes[0].fc.lun: Required value: lun is required if targetWWNs is specified',
    ],
    ['spec.volumes = [{name: v, fc: {targetWWNs: [a], lun: 255}}]'],
    [
      'spec.volumes = [{name: v, fc: {targetWWNs: [a], lun: 256}}]',
      'spec.volumes[0].fc.lun: Invalid value: 256: must be between 0 and 255, inclusive',
    ],
    [
      'spec.volumes = [{name: v, fc: {targetWWNs: [a], lun: -1}}]',
      'spec.volumes[0].fc.lun: Invalid value: -1: must be between 0 and 255, inclusive',
    ],
    ['spec.volumes = [{name: v, flexVolume: {driver: a/b}}]'],
    ['spec.volumes = [{name: v, flexVolume: {}}]', 'spec.volumes[0].flexVolume.driver: Required value'],
    [
      'spec.volumes = [{name: v, flexVolume: {driver: a/b, options: {x: z, kubernetes.io/a: b, A.K8S.IO/c: d, k8s.iox: e}}}]',
      'spec.volumes[0].flexVolume.options[A.K8S.IO/c]: Invalid value: "A.K8S.IO/c": kubernetes.io and k8s.io namespaces are reserved',
      'spec.volumes[0].flexVolume.options[kubernetes.io/a]: Invalid value: "kubernetes.io/a": kubernetes.io and k8s.io namespaces are reserved',
    ],
    [
      'spec.volumes = [{name: v, scaleIO: {gateway: g, system: s, volumeName: vn, secretRef: {name: x}}}]',
      'warning: spec.volumes[0].scaleIO: deprecated in v1.16, non-functional in v1.22+',
      'spec.volumes[0].scaleIO.storageMode = ThinProvisioned',
      'spec.volumes[0].scaleIO.fsType = xfs',
    ],
    [
      'spec.volumes = [{name: v, scaleIO: {}}]',
      'spec.volumes[0].scaleIO.gateway: Required value',
      'spec.volumes[0].scaleIO.system: Required value',
      'spec.volumes[0].scaleIO.volumeName: Required value',
    ],
    ['spec.volumes = [{name: v, gcePersistentDisk: {pdName: p}}]'],
    ['spec.volumes = [{name: v, gcePersistentDisk: {}}]', 'spec.volumes[0].persistentDisk.pdName: Required value'],
    ['spec.volumes = [{name: v, gcePersistentDisk: {pdName: p, partition: 255}}]'],
    [
      'spec.volumes = [{name: v, gcePersistentDisk: {pdName: p, partition: 256}}]',
      'spec.volumes[0].persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive',
    ],
    [
      'spec.volumes = [{name: v, gcePersistentDisk: {pdName: p, partition: -1}}]',
      'spec.volumes[0].persistentDisk.partition: Invalid value: -1: must be between 1 and 255, inclusive',
    ],
    [
      'spec.volumes = [{name: v, awsElasticBlockStore: {volumeID: p, partition: 256}}]',
      'spec.volumes[0].awsElasticBlockStore.partition: Invalid value: 256: must be between 1 and 255, inclusive',
    ],
    ['spec.volumes = [{name: v, awsElasticBlockStore: {}}]', 'spec.volumes[0].awsElasticBlockStore.volumeID: Required value'],
    ['spec.volumes = [{name: v, ephemeral: {}}]', 'spec.volumes[0].ephemeral.volumeClaimTemplate: Required value'],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode = Filesystem',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata = {}',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 1Gi}}}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 0}}}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [Odd], resources: {requests: {storage: 1Gi}}}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "Odd": supported …yMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode = Filesystem',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata = {}',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOncePod, ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: S}}}}]',
      `spec.volumes[0].ephemeral.volumeClaimTemplate.spec.storageClassName: Invalid value: "S": a lowercase…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, volumeMode: Odd}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, volumeAttributesClassName: S}}}}]',
      `spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeAttributesClassName: Invalid value: "S": a …-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, dataSource: {kind: PersistentVolumeClaim, name: c}}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource.apiGroup = null',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode = Filesystem',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata = {}',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, dataSource: {kind: PersistentVolumeClaim}}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource.name: Required value',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, dataSource: {name: c, kind: ""}}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource.kind: Required value',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource: Invalid value: "": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, dataSource: {kind: VolumeSnapshot, name: c}}}}}]',
      `spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSource: Invalid value: "VolumeSnapshot": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, dataSourceRef: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: c}}}}}]',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode = Filesystem',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata = {}',
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, dataSourceRef: {kind: VolumeSnapshot, name: c}}}}}]',
      `spec.volumes[0].ephemeral.volumeClaimTemplate.spec.dataSourceRef: Invalid value: "VolumeSnapshot": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, selector: {matchLabels: {"a b": c}}}}}}]',
      `spec.volumes[0].ephemeral.volumeClaimTemplate.spec.selector.matchLabels: Invalid value: "a b": name …or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {metadata: {labels: {"a b": c}, annotations: {"a b": c}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]',
      `spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.annotations: Invalid value: "a b": name part …or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `spec.volumes[0].ephemeral.volumeClaimTemplate.metadata.labels: Invalid value: "a b": name part must …or validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'metadata.name = pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp && spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]',
      `warning: metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must be no more than 63 characters]`,
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode = Filesystem',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata = {}',
    ],
    [
      'metadata.name = ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp && spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]',
      `warning: metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must be no more than 63 characters]`,
      'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode = Filesystem',
      'spec.volumes[0].ephemeral.volumeClaimTemplate.metadata = {}',
    ],
    [
      'metadata.name = pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp && spec.volumes = [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]',
      'spec.volumes[0].name: Invalid value: "v": PVC name "pppppppppppppppppppppppppppppppppppppppppppppppp…pppppppppppppppppppp-v": must be no more than 253 characters',
    ],
    ['spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a}]'],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: w, mountPath: /a}]',
      'spec.containers[0].volumeMounts[0].name: Not found: "w"',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: "", mountPath: /a}]',
      'spec.containers[0].volumeMounts[0].name: Required value',
      'spec.containers[0].volumeMounts[0].name: Not found: ""',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v}]',
      'spec.containers[0].volumeMounts[0].mountPath: Required value',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a, subPath: ../b}]',
      `spec.containers[0].volumeMounts.subPath: Invalid value: "../b": must not contain '..'`,
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a, subPath: /b}]',
      'spec.containers[0].volumeMounts.subPath: Invalid value: "/b": must be a relative path',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a, subPathExpr: ../b}]',
      `spec.containers[0].volumeMounts.subPathExpr: Invalid value: "../b": must not contain '..'`,
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a, subPath: b, subPathExpr: c}]',
      'spec.containers[0].volumeMounts[0].subPathExpr: Invalid value: "c": subPathExpr and subPath are mutually exclusive',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a, mountPropagation: Odd}]',
      'spec.containers[0].volumeMounts.mountPropagation: Unsupported value: "Odd": supported values: "Bidirectional", "HostToContainer", "None"',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a, mountPropagation: Bidirectional}]',
      'spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a, mountPropagation: HostToContainer}]',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a}, {name: v, mountPath: /a}]',
      'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a, recursiveReadOnly: Enabled}]',
      'spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a, readOnly: true, recursiveReadOnly: Enabled}]',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a, readOnly: true, recursiveReadOnly: Odd}]',
      'spec.containers[0].volumeMounts.recursiveReadOnly: Unsupported value: "Odd": supported values: "Disabled", "Enabled", "IfPossible"',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /a, readOnly: true, recursiveReadOnly: Enabled, mountPropagation: HostToContainer}]',
      'spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified',
    ],
    ['spec.volumes = [{name: v, persistentVolumeClaim: {claimName: c}}] && spec.containers[0].volumeDevices = [{name: v, devicePath: /d}]'],
    [
      'spec.volumes = [{name: v, persistentVolumeClaim: {claimName: c}}] && spec.containers[0].volumeDevices = [{name: w, devicePath: /d}]',
      'spec.containers[0].volumeDevices[0].name: Not found: "w"',
    ],
    [
      'spec.volumes = [{name: v, persistentVolumeClaim: {claimName: c}}] && spec.containers[0].volumeDevices = [{name: v}]',
      'spec.containers[0].volumeDevices[0].devicePath: Required value',
    ],
    [
      'spec.volumes = [{name: v, persistentVolumeClaim: {claimName: c}}] && spec.containers[0].volumeDevices = [{name: v, devicePath: /a/../d}]',
      `spec.containers[0].volumeDevices[0].devicePath: Invalid value: "/a/../d": can not contain backsteps ('..')`,
    ],
    [
      'spec.volumes = [{name: v, persistentVolumeClaim: {claimName: c}}] && spec.containers[0].volumeDevices = [{name: v, devicePath: /d}, {name: v, devicePath: /d}]',
      'spec.containers[0].volumeDevices[1].name: Invalid value: "v": must be unique',
      'spec.containers[0].volumeDevices[1].devicePath: Invalid value: "/d": must be unique',
    ],
    [
      'spec.volumes = [{name: v, persistentVolumeClaim: {claimName: c}}] && spec.containers[0].volumeDevices = [{name: v, devicePath: /d}, {name: v, devicePath: /e}]',
      'spec.containers[0].volumeDevices[1].name: Invalid value: "v": must be unique',
    ],
    [
      'spec.volumes = [{name: v, emptyDir: {}}] && spec.containers[0].volumeDevices = [{name: v, devicePath: /d}]',
      'spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
    ],
    [
      'spec.volumes = [{name: v, persistentVolumeClaim: {claimName: c}}] && spec.containers[0].volumeDevices = [{name: v, devicePath: /d}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /d}]',
      'spec.containers[0].volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices',
      'spec.containers[0].volumeMounts[0].mountPath: Invalid value: "/d": must not already exist as a path in volumeDevices',
      'spec.containers[0].volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
      'spec.containers[0].volumeDevices[0].devicePath: Invalid value: "/d": must not already exist as a path in volumeMounts',
    ],
    [
      'spec.volumes = [{name: v, persistentVolumeClaim: {claimName: c}}] && spec.containers[0].volumeDevices = [{name: v, devicePath: /d}] && spec.containers[0].volumeMounts = [{name: v, mountPath: /e}]',
      'spec.containers[0].volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices',
      'spec.containers[0].volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
    ],
  ],
})
