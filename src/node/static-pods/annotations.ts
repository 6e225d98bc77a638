/** The UID of a static pod, on it and on its mirror pod. */
export const CONFIG_HASH = 'kubernetes.io/config.hash'
/** On mirror pods only: the UID of the static pod. */
export const CONFIG_MIRROR = 'kubernetes.io/config.mirror'
/** The source of a pod: `file`, `http`. */
export const CONFIG_SOURCE = 'kubernetes.io/config.source'
/** When the node first saw it. */
export const CONFIG_SEEN = 'kubernetes.io/config.seen'
