import type { KubeObject } from '../../machinery/object.ts'

/** The deprecated annotation of a claim's or volume's storage class. */
export const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'
/** Of a claim: the provisioner of its volume. */
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner'
/** Of a claim that waits for its first consumer: the node that the scheduler has chosen. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
/** Of a volume: the provisioner that created it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by'
/** Of a volume: the capacity of its claim before an expansion, until the file system is expanded, too. */
export const BEFORE_GROWTH = 'volume.alpha.kubernetes.io/pre-resize-capacity'

/** The storage class of a claim or a volume; empty if there is none. */
export const classNameOf = ({ metadata, spec }: KubeObject<{ storageClassName?: string }>): string =>
  metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? ''
