/**
 * Why a node does not start with its configuration on its machine, or with the state that another agent left; the message is the
 * kubelet's.
 */
export class KubeletStartError extends Error {
  override readonly name = 'KubeletStartError'
  readonly code = 'does-not-start'
}
