import type { CSIDriver } from '../../resources/types/storage.ts'
import { NODE_CAPABILITY } from '../../sdk/csi/node-service.ts'
import { type Pod, podRef } from '../types/pod.ts'
import type { IssueToken } from '../volumes/service-account-tokens.ts'
import { CsiError } from './csi-error.ts'
import type { CsiVolume } from './csi-volume.ts'

/** Who gives the files of a volume to the pod's `fsGroup`. */
export type GroupChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'by driver'; readonly gid: number }
  | { readonly kind: 'by node'; readonly gid: number; readonly rootOnly: boolean }

/** Pure. */
export function groupChange(
  { spec: { securityContext } }: Pod,
  volume: CsiVolume,
  driver: CSIDriver | undefined,
  can: ReadonlySet<number>,
): GroupChange {
  const { fsGroup: gid, fsGroupChangePolicy } = securityContext ?? {}
  if (gid === undefined) return { kind: 'none' }
  if (can.has(NODE_CAPABILITY.volumeMountGroup)) return { kind: 'by driver', gid }
  const policy = driver?.spec?.fsGroupPolicy ?? 'ReadWriteOnceWithFSType'
  const once = volume.accessModes.some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod')
  const wanted = policy === 'File' || (policy === 'ReadWriteOnceWithFSType' && volume.fsType !== '' && once)
  if (!wanted || volume.readOnly) return { kind: 'none' }
  return { kind: 'by node', gid, rootOnly: fsGroupChangePolicy === 'OnRootMismatch' }
}

/** Throws `CsiError` where the driver has not said that pods may describe its volumes themselves. Pure. */
export function checkInline({ driver }: CsiVolume, object: CSIDriver | undefined): void {
  const modes = object?.spec?.volumeLifecycleModes
  if (modes?.includes('Ephemeral')) return
  const why = object === undefined ? 'no CSIDriver object' : `only supports ${JSON.stringify(modes ?? ['Persistent'])}`
  throw new CsiError(`volume mode "Ephemeral" not supported by driver ${driver} (${why})`)
}

/** The pod's data for a driver with `podInfoOnMount`. Pure. */
export function podAttributes(pod: Pod, volume: CsiVolume, driver: CSIDriver | undefined): Readonly<Record<string, string>> {
  if (driver?.spec?.podInfoOnMount !== true) return {}
  const { name, namespace, uid } = podRef(pod)
  return {
    'csi.storage.k8s.io/pod.name': name,
    'csi.storage.k8s.io/pod.namespace': namespace,
    'csi.storage.k8s.io/pod.uid': uid,
    'csi.storage.k8s.io/serviceAccount.name': pod.spec.serviceAccountName ?? '',
    'csi.storage.k8s.io/ephemeral': String(volume.inline),
  }
}

const TOKENS = 'csi.storage.k8s.io/serviceAccount.tokens'

/** Tokens of the pod's service account for the audiences that a driver asks for. */
export async function tokenAttributes(driver: CSIDriver | undefined, issue: IssueToken): Promise<Readonly<Record<string, string>>> {
  const { tokenRequests = [] } = driver?.spec ?? {}
  if (tokenRequests.length === 0) return {}
  const tokens: Record<string, { readonly token: string; readonly expirationTimestamp: string }> = {}
  for (const { audience, expirationSeconds = 3600 } of tokenRequests) {
    const { token, expiresAtMs } = await issue({ audience: audience === '' ? undefined : audience, expirationSeconds })
    tokens[audience] = { token, expirationTimestamp: new Date(expiresAtMs).toISOString().replace(/\.\d+Z$/, 'Z') }
  }
  return { [TOKENS]: JSON.stringify(tokens) }
}
