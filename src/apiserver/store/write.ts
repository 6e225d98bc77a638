import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { apiVersionOf, type KubeObject } from '../../machinery/object.ts'
import type { Allocators, ResourceDefinition, RulesContext, Subresource, Writer } from '../../machinery/resource/definition.ts'
import type { ObjectLimits } from '../../machinery/resource/object-limits.ts'
import type { AdmissionPlugin } from '../admission/plugin.ts'
import type { StepTimer } from '../admission/step-timer.ts'
import type { ResourceRegistry, ServedResource } from '../cache/resource-registry.ts'
import type { WatchCache } from '../cache/watch-cache.ts'
import type { Kinds } from '../kinds.ts'
import type { RequestContext } from '../request/request-context.ts'
import type { LatelyCreated } from './lately-created.ts'

/** The dependencies of the store. */
export interface StoreDeps {
  readonly watchCache: WatchCache
  readonly definitions: ResourceRegistry
  readonly kinds: Kinds
  readonly clock: Clock
  readonly random: Random
  readonly allowPrivileged: boolean
  readonly gates?: ReadonlySet<string>
  /** Default `OBJECT_LIMITS`. */
  readonly objectLimits?: ObjectLimits
  /** Allocate values that must be unique. */
  readonly allocators?: Allocators | undefined
  /** Writes objects that belong to another one (the IPAddress of a Service), through this store. */
  readonly writer: Writer
  /** The latest created objects, as stored. */
  readonly lately: LatelyCreated
}

/** The object and subresource that a write addresses. */
export interface WriteTarget {
  readonly namespace: string
  /** `''` until it is known (a create). */
  readonly name: string
  /** `''`: the resource itself. */
  readonly subresource: string
}

/** One write by a client or by the server: its target, its author, and its conditions. */
export interface Write {
  readonly served: ServedResource
  readonly place: WriteTarget
  /** The request deletes a collection: admission sees no name. */
  readonly ofCollection?: true
  /** The definition of `place.subresource`; undefined for the resource itself. */
  readonly subresource: Subresource | undefined
  /** The request on whose behalf it is made. */
  readonly request: RequestContext
  /** The field manager; undefined if managed fields are not recorded. */
  readonly manager: string | undefined
  readonly dryRun: boolean
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions, as admission sees them. */
  readonly options: KubeObject
  /** In the order in which they run; none for the server's own writes. */
  readonly admission: readonly AdmissionPlugin[]
  /** Times admission. Default: it is not timed. */
  readonly steps?: StepTimer | undefined
  /** The top-level fields in which an applied object, or what a policy made of it, had members that its schema does not keep. */
  prunedFields?: ReadonlySet<string> | undefined
}

export const groupResource = ({ served: { definition } }: Pick<Write, 'served'>) => ({
  group: definition.group,
  resource: definition.nameInErrors ?? definition.names.plural,
})

/** The kind that validation errors name: that of the storage version. */
export const groupKind = ({ served: { definition } }: Pick<Write, 'served'>) => ({
  group: definition.storedAs?.group ?? definition.group,
  kind: definition.names.kind,
})

/** The apiVersion by which the resource is addressed. */
export const requestVersion = ({ served: { definition, version } }: Pick<Write, 'served'>) =>
  apiVersionOf({ group: definition.group, version: version.version })

/** The key of an object in its cache. */
export function keyOf(definition: ResourceDefinition, namespace: string, name: string): string {
  return definition.scope === 'Namespaced' ? `${namespace}/${name}` : name
}

/** The context of the kind's rules for this write. */
export function rulesContext(deps: StoreDeps, write: Write): RulesContext {
  return {
    now: deps.clock.now(),
    random: deps.random,
    user: write.request.user,
    dryRun: write.dryRun,
    subresource: write.place.subresource,
    apiVersion: requestVersion(write),
    warn: (text) => write.request.warn(text),
    reader: deps.watchCache.reader,
    writer: deps.writer,
    allowPrivileged: deps.allowPrivileged,
    ...(deps.gates && { gates: deps.gates }),
    allocators: deps.allocators,
  }
}
