import type { PersistentVolumeSpec } from '../../resources/types/core.ts'

/** In-tree volume plugins from before CSI: the field of a spec that names their volumes, and the CSI driver that they were migrated to. */
const PLUGINS: Readonly<Record<string, { readonly source: keyof PersistentVolumeSpec; readonly driver: string }>> = {
  'kubernetes.io/aws-ebs': { source: 'awsElasticBlockStore', driver: 'ebs.csi.aws.com' },
  'kubernetes.io/azure-disk': { source: 'azureDisk', driver: 'disk.csi.azure.com' },
  'kubernetes.io/azure-file': { source: 'azureFile', driver: 'file.csi.azure.com' },
  'kubernetes.io/cinder': { source: 'cinder', driver: 'cinder.csi.openstack.org' },
  'kubernetes.io/gce-pd': { source: 'gcePersistentDisk', driver: 'pd.csi.storage.gke.io' },
  'kubernetes.io/portworx-volume': { source: 'portworxVolume', driver: 'pxd.portworx.com' },
  'kubernetes.io/vsphere-volume': { source: 'vsphereVolume', driver: 'csi.vsphere.vmware.com' },
}

/** The CSI driver that an in-tree plugin was migrated to. */
export const driverOfPlugin = (plugin: string): string | undefined => PLUGINS[plugin]?.driver

/** The in-tree plugin of a volume, and its CSI driver. */
export function pluginOfSource(spec: PersistentVolumeSpec): { readonly plugin: string; readonly driver: string } | undefined {
  for (const [plugin, { source, driver }] of Object.entries(PLUGINS)) if (spec[source] !== undefined) return { plugin, driver }
  return undefined
}
