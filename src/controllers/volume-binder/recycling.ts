import { parseQuantity } from '../../machinery/quantity.ts'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import type { PersistentVolume, Pod } from '../../resources/types/core.ts'
import { isFinished } from '../pods/pod-state.ts'

/** The namespace of the pods that wipe volumes. */
export const RECYCLERS = 'default'
const PREFIX = 'recycler-for-'
const GIBIBYTE = 2 ** 30
/** As kube-controller-manager's `--pv-recycler-minimum-timeout-…` and `--pv-recycler-…increment…`. */
const LEAST_SECONDS = { hostPath: 60, nfs: 300 } as const
const SECONDS_PER_GIBIBYTE = 30

export const recyclerOf = (volume: PersistentVolume): string => `${PREFIX}${volume.metadata.name}`

/** The volume that a pod wipes. */
export function wipedBy({ metadata: { namespace, name = '' } }: Pod): string | undefined {
  return namespace === RECYCLERS && name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined
}

export type RecyclingPlan =
  | { readonly kind: 'create'; readonly pod: Pod }
  | { readonly kind: 'wait' }
  | { readonly kind: 'in use'; readonly message: string }
  /** It is empty: another claim may have it. */
  | { readonly kind: 'done' }
  /** It is tried again later. */
  | { readonly kind: 'failed'; readonly message: string }

export interface RecyclingFacts {
  /** The pod that wipes the volume. */
  readonly recycler: Pod | undefined
  /** The pods of the namespace of the claim that had it. */
  readonly pods: readonly Pod[]
  /** A claim of that name exists again, with another volume. */
  readonly claimed: boolean
}

/** The next step for a volume that is wiped for other claims. Pure. */
export function planRecycling(volume: PersistentVolume, { recycler, pods, claimed }: RecyclingFacts): RecyclingPlan {
  if (recycler !== undefined) return followRecycler(recycler)
  const claim = volume.spec?.claimRef?.name ?? ''
  const users = pods.filter((p) => claimsOf(p).includes(claim) && !isFinished(p))
  if (users.length > 0 && !claimed) {
    const names = users.map((p) => `${p.metadata.namespace}/${p.metadata.name}`)
    return { kind: 'in use', message: `Volume is used by pods: ${names.sort().join(',')}` }
  }
  return { kind: 'create', pod: recyclerPod(volume) }
}

function followRecycler({ status, metadata }: Pod): RecyclingPlan {
  if (metadata.deletionTimestamp !== undefined) return { kind: 'wait' }
  switch (status?.phase) {
    case 'Succeeded':
      return { kind: 'done' }
    case 'Failed':
      return {
        kind: 'failed',
        message: `Recycle failed: failed to recycle volume: ${status.message || 'pod failed, pod.Status.Message unknown'}`,
      }
    default:
      return { kind: 'wait' }
  }
}

/** A pod that wipes the volume; its deadline depends on the volume's size. */
function recyclerPod(volume: PersistentVolume): Pod {
  const { hostPath, nfs, capacity } = volume.spec ?? {}
  const sizeSeconds = Math.floor(parseQuantity(capacity?.storage ?? '0').value() / GIBIBYTE) * SECONDS_PER_GIBIBYTE
  const source = hostPath ? { hostPath: { path: hostPath.path } } : nfs ? { nfs: { server: nfs.server, path: nfs.path } } : {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: recyclerOf(volume), namespace: RECYCLERS },
    spec: {
      activeDeadlineSeconds: Math.max(hostPath ? LEAST_SECONDS.hostPath : LEAST_SECONDS.nfs, sizeSeconds),
      restartPolicy: 'Never',
      volumes: [{ name: 'vol', ...source }],
      containers: [
        {
          name: 'pv-recycler',
          image: 'registry.k8s.io/build-image/debian-base:bookworm-v1.0.6',
          command: ['/bin/sh'],
          args: ['-c', 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1'],
          volumeMounts: [{ name: 'vol', mountPath: '/scrub' }],
        },
      ],
    },
  }
}
