import type { AdmissionPlugin } from '../../apiserver/admission/plugin.ts'

const FINALIZERS: Readonly<Record<string, string>> = {
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
}

/** Adds the finalizers that protect claims and volumes in use; a controller removes them. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  handles: (r) =>
    r.operation === 'CREATE' && r.subresource === '' && FINALIZERS[`${r.resource.group}/${r.resource.resource}`] !== undefined,
  mutate({ object, resource }) {
    const finalizer = FINALIZERS[`${resource.group}/${resource.resource}`]
    if (object === undefined || finalizer === undefined || object.metadata.finalizers?.includes(finalizer)) return
    object.metadata.finalizers = [...(object.metadata.finalizers ?? []), finalizer]
  },
}
