import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validateVolumes } from '../../pod/validation/validate-volumes.ts'
import { validateVolumeSource } from './volume-sources.ts'

const texts = (faults: readonly { field: string; message: string }[]) => faults.map((f) => `${f.field}: ${f.message}`)
const MANAGED = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const BLOB = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'
const HOST_TYPES = '"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"'

/** Sources with the same rules in a pod and in a PersistentVolume. */
const BOTH: readonly (readonly [source: object, faults: readonly string[]])[] = [
  [{ hostPath: { path: '/x', type: 'y' } }, [`hostPath.type: Unsupported value: "y": supported values: ${HOST_TYPES}`]],
  [
    { gcePersistentDisk: { partition: -1 } },
    ['persistentDisk.pdName: Required value', 'persistentDisk.partition: Invalid value: -1: must be between 1 and 255, inclusive'],
  ],
  [
    { flexVolume: { options: { 'x.k8s.io/a': 'b' } } },
    [
      'flexVolume.driver: Required value',
      'flexVolume.options[x.k8s.io/a]: Invalid value: "x.k8s.io/a": kubernetes.io and k8s.io namespaces are reserved',
    ],
  ],
  [{ flexVolume: { driver: 'd', options: { a: 'b' } } }, []],
  [
    { quobyte: { registry: 'a:1,b', volume: 'v' } },
    ['quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas'],
  ],
  [
    { azureDisk: { diskName: 'd', kind: 'Shared' } },
    ['azureDisk.diskURI: Required value', `azureDisk.diskURI: Unsupported value: "": supported values: "${BLOB}"`],
  ],
  [
    { azureDisk: { diskName: 'd', diskURI: 'u', kind: 'Managed' } },
    [`azureDisk.diskURI: Unsupported value: "u": supported values: "${MANAGED}"`],
  ],
  [{ fc: { targetWWNs: ['a'] } }, ['fc.lun: Required value: lun is required if targetWWNs is specified']],
]

test('sources of volumes', async (t) => {
  for (const [source, faults] of BOTH)
    await t.test(JSON.stringify(source), () => {
      assert.deepEqual(
        texts(validateVolumeSource(source, '')).map((x) => x.replace(/^\./, '')),
        faults,
      )
      const pod = texts(validateVolumes([{ name: 'v', ...source }], undefined, 'volumes').faults)
      assert.deepEqual(
        pod.map((x) => x.replace('volumes[0].', '')),
        faults,
      )
    })
})

const ALONE: readonly (readonly [source: object, faults: readonly string[]])[] = [
  [{ iscsi: { targetPortal: 'p', iqn: 'x' } }, ['spec.iscsi.iqn: Invalid value: "x": must be valid format']],
  [
    { glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' } },
    ['spec.glusterfs.endpointsNamespace: Invalid value: "": if the endpointnamespace is set, it must be a valid namespace name'],
  ],
  [
    { storageos: { volumeName: 'v', secretRef: {} } },
    ['spec.storageos.secretRef.name: Required value', 'spec.storageos.secretRef.namespace: Required value'],
  ],
  [{ azureFile: { secretName: 's', shareName: 'x', secretNamespace: null } }, []],
  [{ hostPath: { path: '/x' }, cephfs: {} }, ['spec.cephFS: Forbidden: may not specify more than 1 volume type']],
  [{ hostPath: { path: '/x' }, flexVolume: { driver: 'd' } }, []],
  [{}, ['spec: Required value: must specify a volume type']],
]

test('sources of PersistentVolumes alone', async (t) => {
  for (const [source, faults] of ALONE)
    await t.test(JSON.stringify(source), () => assert.deepEqual(texts(validateVolumeSource(source, 'spec', 'pv')), faults))
})
