import { createHash } from 'node:crypto'
import type { CSIVolumeSource, PersistentVolume, SecretReference } from '../../resources/types/core.ts'
import type { VolumeUse } from '../../sdk/csi/capability-of.ts'
import type { Pod } from '../types/pod.ts'

/** A volume of a CSI driver as a pod uses it. */
export interface CsiVolume extends VolumeUse {
  /** Of the persistent volume; of an inline one, the name that the pod gives it. */
  readonly name: string
  readonly driver: string
  readonly handle: string
  /** It lives as long as its pod: it is neither attached nor staged. */
  readonly inline: boolean
  readonly attributes: Readonly<Record<string, string>>
  readonly readOnly: boolean
  readonly secrets: { readonly [K in 'stage' | 'publish' | 'expand']?: SecretReference | undefined }
}

/** The volume behind a claim; undefined: it is not of a CSI driver. Pure. */
export function persistentVolume({ metadata, spec }: PersistentVolume, readOnly: boolean): CsiVolume | undefined {
  const { csi, volumeMode, mountOptions = [], accessModes = ['ReadWriteOnce'] } = spec ?? {}
  if (csi === undefined) return undefined
  return {
    name: metadata.name ?? '',
    driver: csi.driver,
    handle: csi.volumeHandle,
    inline: false,
    attributes: csi.volumeAttributes ?? {},
    readOnly,
    block: volumeMode === 'Block',
    fsType: csi.fsType ?? '',
    mountOptions,
    // Nodes say how the first of several modes is meant, as the kubelet.
    accessModes: accessModes.slice(0, 1),
    secrets: { stage: csi.nodeStageSecretRef, publish: csi.nodePublishSecretRef, expand: csi.nodeExpandSecretRef },
  }
}

/** A volume that the pod itself describes. Pure. */
export function inlineVolume({ metadata }: Pod, name: string, source: CSIVolumeSource): CsiVolume {
  const { namespace = '', uid = '' } = metadata
  const { driver, fsType = '', volumeAttributes = {}, readOnly = false, nodePublishSecretRef } = source
  const publish = nodePublishSecretRef?.name === undefined ? undefined : { name: nodePublishSecretRef.name, namespace }
  return {
    name,
    driver,
    handle: `csi-${createHash('sha256').update(`${uid}${name}`).digest('hex')}`,
    inline: true,
    attributes: volumeAttributes,
    readOnly,
    block: false,
    fsType,
    mountOptions: [],
    accessModes: ['ReadWriteOnce'],
    secrets: { publish },
  }
}

/** As the Node's status calls an attached volume. */
export const attachedName = (driver: string, handle: string): string => `kubernetes.io/csi/${driver}^${handle}`

/** The name of the VolumeAttachment that attaches the volume to a node. */
export const attachmentId = ({ driver, handle }: Pick<CsiVolume, 'driver' | 'handle'>, node: string): string =>
  `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`
