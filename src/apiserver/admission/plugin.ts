import type { Later } from '../../base/steps.ts'
import type { Draft, GroupVersionKind, GroupVersionResource, KubeObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { forbiddenStatus, type StatusError } from '../../machinery/status-error.ts'
import type { Trail } from '../request/trail.ts'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** One write on its way to the store, as admission sees it: of an object of type `T`. */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly operation: Operation
  /** In the version of the request. */
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
  readonly subresource: string
  readonly namespace: string
  /** `''` until a generated name is drawn. */
  readonly name: string
  /** The name in the request's path: none for a create by POST, but there for one by PUT or apply. */
  readonly pathName?: string
  readonly user: UserInfo
  readonly dryRun: boolean
  /**
   * The new object (CREATE, UPDATE) or CONNECT's options, in the version of the request. Mutating plugins change it in place. Undefined for
   * DELETE.
   */
  object: Draft<T> | undefined
  /** The top-level fields in which patches of plugins had members that the schema of the kind does not keep: see `Write.prunedFields`. */
  prunedFields?: ReadonlySet<string> | undefined
  /** The stored object (UPDATE, DELETE). Frozen. */
  readonly oldObject: T | undefined
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options: KubeObject
  /** Where the facts of the request are recorded. */
  readonly trail?: Trail | undefined
  warn(text: string): void
  /** All mutating plugins run once more after this run. */
  requireReinvocation(): void
  /** Adds an audit annotation. */
  annotate(key: string, value: string, level?: 'Request'): void
}

/**
 * One admission plugin. `mutate` may change `request.object`, and runs before defaults are final; `validate` runs on what would be stored.
 * To refuse, a plugin throws a `StatusError` (mostly 403 Forbidden in Kubernetes' words). `T` is the type of all objects that the plugin
 * handles.
 */
export interface AdmissionPlugin<T extends KubeObject = KubeObject> {
  /** Kubernetes' name of the plugin: `NamespaceLifecycle`. */
  readonly name: string
  handles(request: AdmissionRequest): boolean
  mutate?(request: AdmissionRequest<T>): Later<void>
  /** The second run, after a policy or a webhook has changed the object. Default: the same as the first. */
  reinvoke?(request: AdmissionRequest<T>): Later<void>
  validate?(request: AdmissionRequest<T>): Later<void>
}

/** `pods "a" is forbidden: WHY`. An object whose name is not generated yet is named by its prefix. */
export function refusal(request: AdmissionRequest, why: string): StatusError {
  const meta = request.object?.metadata
  const name = request.name || meta?.name || meta?.generateName || 'Unknown'
  return forbiddenStatus({ group: request.resource.group, resource: request.resource.resource }, name, why)
}
