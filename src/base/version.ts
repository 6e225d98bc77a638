/** The version of this package. */
export const VERSION = '0.1.0'
/** The release of Kubernetes whose API this is, as `/version` says it. */
export const KUBERNETES_VERSION = 'v1.36.3'
