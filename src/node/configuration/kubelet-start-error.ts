/** Why a node does not start with its configuration, its machine, or the state of a previous agent; the message is the kubelet's. */
export class KubeletStartError extends Error {
  override readonly name = 'KubeletStartError'
  readonly code = 'does-not-start'
}
