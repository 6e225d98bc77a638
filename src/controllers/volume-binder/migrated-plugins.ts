/** Plugins of the time before CSI, by their names: where their volumes stand in a spec, and the driver that serves them today. */
const PLUGINS: Readonly<Record<string, { readonly source: string; readonly driver: string }>> = {
  'kubernetes.io/aws-ebs': { source: 'awsElasticBlockStore', driver: 'ebs.csi.aws.com' },
  'kubernetes.io/azure-disk': { source: 'azureDisk', driver: 'disk.csi.azure.com' },
  'kubernetes.io/azure-file': { source: 'azureFile', driver: 'file.csi.azure.com' },
  'kubernetes.io/cinder': { source: 'cinder', driver: 'cinder.csi.openstack.org' },
  'kubernetes.io/gce-pd': { source: 'gcePersistentDisk', driver: 'pd.csi.storage.gke.io' },
  'kubernetes.io/portworx-volume': { source: 'portworxVolume', driver: 'pxd.portworx.com' },
  'kubernetes.io/vsphere-volume': { source: 'vsphereVolume', driver: 'csi.vsphere.vmware.com' },
}

/** The driver that does today what this plugin did; undefined: there is none, or it is no such plugin. */
export const driverOfPlugin = (plugin: string): string | undefined => PLUGINS[plugin]?.driver

/** The plugin of old that a volume's spec names, and its driver. */
export function pluginOfSource(spec: Readonly<Record<string, unknown>>): { readonly plugin: string; readonly driver: string } | undefined {
  for (const [plugin, { source, driver }] of Object.entries(PLUGINS)) if (spec[source] !== undefined) return { plugin, driver }
  return undefined
}
