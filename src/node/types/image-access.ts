import type { RegistryLogin } from '../runtime/runtime.ts'
import type { Pod } from './pod.ts'

/** A login, and where it came from. */
export interface KnownLogin {
  readonly login: RegistryLogin
  /** For the records: opaque to those who pull. */
  readonly source: unknown
}

/** Who may pull and use images on a node. */
export interface ImageAccess {
  /** The logins of a pod for an image, in the order in which they are tried; none: it is pulled without. */
  logins(pod: Pod, image: string, signal: AbortSignal): Promise<readonly KnownLogin[]>
  /** Whether the pod may use an image that is there already, without pulling it. */
  mayUse(pod: Pod, present: { readonly image: string; readonly imageId: string }, signal: AbortSignal): Promise<boolean>
  /** A pull begins. */
  pulling(image: string): Promise<void>
  failed(image: string): Promise<void>
  /** It was pulled with this login, one of `logins`, or without. */
  pulled(image: string, imageId: string, login: KnownLogin | undefined): Promise<void>
}
