/** The version of this package. */
export const VERSION = '0.1.0'
/** The Kubernetes release of this API, as in `/version`. */
export const KUBERNETES_VERSION = 'v1.36.3'
