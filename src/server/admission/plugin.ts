import type { Clock } from '../../base/clock.ts'
import type { GroupVersionKind, GroupVersionResource, KubeObject } from '../../machinery/object.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { Authorizer } from '../auth/authorizer.ts'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** One write on its way to the store, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: Operation
  /** In the version of the request. */
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
  readonly subresource: string
  readonly namespace: string
  /** `''` while a generated name is not drawn yet. */
  readonly name: string
  readonly user: UserInfo
  readonly dryRun: boolean
  /** The new object (CREATE, UPDATE, CONNECT's options); mutating plugins change it in place. Undefined for DELETE. In the request's version. */
  object: KubeObject | undefined
  /** The stored object (UPDATE, DELETE). Frozen. */
  readonly oldObject: KubeObject | undefined
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options: KubeObject
  warn(text: string): void
  /** Adds an audit annotation. */
  annotate(key: string, value: string): void
}

export interface AdmissionDeps {
  readonly clock: Clock
  readonly reader: Reader
  readonly authorizer: Authorizer
}

/**
 * One admission plugin. `mutate` runs before defaults of the object are final and may change `request.object`; `validate` runs on what would be
 * stored. A refusal is a thrown `StatusError` (mostly 403 Forbidden in the words of Kubernetes).
 */
export interface AdmissionPlugin {
  /** Kubernetes' name of it: `NamespaceLifecycle`. */
  readonly name: string
  handles(request: AdmissionRequest): boolean
  mutate?(request: AdmissionRequest): void | Promise<void>
  validate?(request: AdmissionRequest): void | Promise<void>
}
