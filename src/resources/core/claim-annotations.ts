import type { KubeObject } from '../../machinery/object.ts'

/** Where claims and volumes of old named their class. */
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'
/** On a claim: who is to make its volume. */
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner'
/** On a claim that waits for its first pod: the node that the scheduler has chosen. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
/** On a volume: who has made it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
/** On a volume: what its claim had before the volume grew, until the file system has grown too. */
export const BEFORE_GROWTH = 'volume.alpha.kubernetes.io/pre-resize-capacity'

/** The storage class that a claim or a volume names; empty: none. */
export const classNameOf = ({ metadata, spec }: KubeObject<{ storageClassName?: string }>): string =>
  metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? ''
