import type { KubeObject } from '../../machinery/object.ts'
import { compareQuantities } from '../volume-binder/claim-size.ts'

export type ExpanderPlan =
  | { readonly kind: 'keep' }
  /** Somebody outside makes the volume larger. */
  | { readonly kind: 'tell'; readonly message: string; readonly resizer: string | undefined }

/** Sources of the time before CSI: the name of their plugin, and of the driver that serves them today. */
const MIGRATED: Readonly<Record<string, readonly [plugin: string, driver: string]>> = {
  awsElasticBlockStore: ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  azureDisk: ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  azureFile: ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  cinder: ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  gcePersistentDisk: ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  portworxVolume: ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
  vsphereVolume: ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
}

/** What is said of a claim that asks for more than it has. Pure. */
export function planExpander(claim: KubeObject, volume: KubeObject | undefined): ExpanderPlan {
  const ref = volume?.spec?.claimRef
  if (claim.status?.phase !== 'Bound' || ref?.uid !== claim.metadata.uid) return { kind: 'keep' }
  if (compareQuantities(claim.spec?.resources?.requests?.storage, claim.status?.capacity?.storage) <= 0) return { kind: 'keep' }
  const source = Object.keys(MIGRATED).find((name) => volume?.spec?.[name] !== undefined)
  const [plugin, resizer] = MIGRATED[source ?? ''] ?? []
  const message =
    plugin === undefined
      ? 'waiting for an external controller to expand this PVC'
      : `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`
  return { kind: 'tell', message, resizer }
}

/** Whether the claim asks for more than before, or has got more. Pure. */
export const isAnotherSize = (claim: KubeObject, old: KubeObject): boolean =>
  compareQuantities(claim.spec?.resources?.requests?.storage, old.spec?.resources?.requests?.storage) > 0 ||
  compareQuantities(claim.status?.capacity?.storage, old.status?.capacity?.storage) > 0
