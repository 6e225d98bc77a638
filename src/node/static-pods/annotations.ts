/** The uid of a static pod, on it and on its mirror. */
export const CONFIG_HASH = 'kubernetes.io/config.hash'
/** On mirrors alone: which static pod they show. */
export const CONFIG_MIRROR = 'kubernetes.io/config.mirror'
/** Where a pod comes from: `file`, `http`. */
export const CONFIG_SOURCE = 'kubernetes.io/config.source'
/** When the node first saw it. */
export const CONFIG_SEEN = 'kubernetes.io/config.seen'
