import { imagePullPolicyFor } from './image-name.ts'
import type { DownwardFile, FieldRef, Volume } from './types.ts'

const readable = 0o644
const tokenLifeSeconds = 3600

/** Fills in the defaults of a volume's source; a volume without source is an empty directory. */
export function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).every((field) => field === 'name' || volume[field as keyof Volume] === undefined)) volume.emptyDir = {}
  if (volume.secret) volume.secret.defaultMode ??= readable
  if (volume.configMap) volume.configMap.defaultMode ??= readable
  if (volume.hostPath) volume.hostPath.type ??= ''
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= readable
    defaultFiles(volume.downwardAPI.items)
  }
  if (volume.image) volume.image.pullPolicy ||= imagePullPolicyFor(volume.image.reference ?? '')
  defaultProjected(volume)
  defaultStorage(volume)
  const claim = volume.ephemeral?.volumeClaimTemplate
  if (claim) {
    claim.spec ??= {}
    const spec: { volumeMode?: string } = claim.spec
    spec.volumeMode ??= 'Filesystem'
  }
}

export function defaultFieldRef(ref: FieldRef | undefined): void {
  if (ref) ref.apiVersion ||= 'v1'
}

function defaultFiles(items: readonly DownwardFile[] | undefined): void {
  for (const item of items ?? []) {
    defaultFieldRef(item.fieldRef)
    if (item.resourceFieldRef) item.resourceFieldRef.divisor ??= '0'
  }
}

function defaultProjected(volume: Volume): void {
  if (!volume.projected) return
  volume.projected.defaultMode ??= readable
  for (const source of volume.projected.sources ?? []) {
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= tokenLifeSeconds
    defaultFiles(source.downwardAPI?.items)
  }
}

function defaultStorage(volume: Volume): void {
  if (volume.iscsi) volume.iscsi.iscsiInterface ||= 'default'
  if (volume.rbd) {
    volume.rbd.pool ||= 'rbd'
    volume.rbd.user ||= 'admin'
    volume.rbd.keyring ||= '/etc/ceph/keyring'
  }
  if (volume.azureDisk) {
    volume.azureDisk.cachingMode ??= 'ReadWrite'
    volume.azureDisk.kind ??= 'Shared'
    volume.azureDisk.fsType ??= 'ext4'
    volume.azureDisk.readOnly ??= false
  }
  if (volume.scaleIO) {
    volume.scaleIO.storageMode ||= 'ThinProvisioned'
    volume.scaleIO.fsType ||= 'xfs'
  }
}
