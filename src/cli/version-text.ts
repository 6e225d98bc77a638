import { KUBERNETES_VERSION, VERSION } from '../base/version.ts'

/** What `bowsprit version` and `bowsprit --version` print. */
export const versionText = (): string => `bowsprit ${VERSION} (Kubernetes ${KUBERNETES_VERSION}, node ${process.version})`
