import { messageOf } from '../../base/message-of.ts'

/** Why a volume cannot be mounted, in the kubelet's words: which step of it failed, and the volume's own name. */
export class MountError extends Error {
  override readonly name = 'MountError'
  readonly code = 'mount'
  readonly operation: string
  readonly volume: string

  constructor(operation: string, volume: string, { cause }: { readonly cause: unknown }) {
    super(`${operation} failed for volume "${volume}" : ${messageOf(cause)}`, { cause })
    this.operation = operation
    this.volume = volume
  }
}
