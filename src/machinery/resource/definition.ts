import type { Random } from '../../base/random.ts'
import type { Later, Steps } from '../../base/steps.ts'
import type { FieldError } from '../field-error.ts'
import type { GroupVersionKind, Json, JsonObject, KubeObject } from '../object.ts'
import type { Decoded, DecodeOptions } from '../schema/decode.ts'
import type { Schema } from '../schema/schema.ts'
import type { MetadataChecks } from '../validation/object-meta.ts'
import type { RowBudget } from './row-budget.ts'
import type { UserInfo } from './user.ts'

/**
 * Everything that the server needs to know about a resource. A built-in kind is such a value in a file under `resources/`; a
 * CustomResourceDefinition becomes one when it is established; a ThirdPartyResource becomes a CustomResourceDefinition. The same handlers
 * serve all three. Discovery, OpenAPI, tables and typed clients are derived from these values.
 */
export interface ResourceDefinition {
  /** `''` is the core group. */
  readonly group: string
  readonly names: ResourceNames
  readonly scope: 'Namespaced' | 'Cluster'
  /** In order of preference, as discovery lists them. */
  readonly versions: readonly ResourceVersion[]
  /** The version whose JSON is stored and cached (the hub of conversion). */
  readonly storageVersion: string
  /** Stored objects may have versions other than the storage version (custom resources whose definition changed). */
  readonly storedInOthers?: boolean
  /** Where it is stored, if not under its own group and plural (events.k8s.io shares core events). */
  readonly storedAs?: { readonly group: string; readonly resource: string }
  /** Converts objects from their own apiVersion to another; required if there are several versions. Does not change its arguments. */
  readonly convert?: Converter
  /** A `convert` that keeps fields which the other version does not have; without it `convert` drops none. Field owners are found by it. */
  readonly convertUnpruned?: Converter
  /** Adds to an object in the stored version what every read adds, and what etcd does not get: some defaults. */
  readBack?(object: KubeObject): void
  /** The conditions of a table row, by which clients grey out objects that are done. */
  rowConditions?(object: KubeObject): readonly RowCondition[]
  /** The metadata of Kubernetes' internal type, which partial metadata and table rows show. Default `metadata`. */
  internalMetadata?(object: KubeObject): KubeObject['metadata']
  /** What Kubernetes' internal type has when it is empty and the type of the version has not: bookmarks show it. Default none. */
  readonly internalZero?: JsonObject
  /** The order of the rows of a table, where Kubernetes prints them in another one than that of the list. */
  rowOrder?(a: KubeObject, b: KubeObject): number
  /** The name of the resource in errors, where it is not the plural. */
  readonly nameInErrors?: string
  /** The served verbs; default all. */
  readonly verbs?: readonly Verb[]
  readonly rules: ResourceRules
  /** `status`, `scale`, `binding`, … by name. */
  readonly subresources?: Readonly<Record<string, Subresource>>
  /** Handles `create` without storing anything (reviews, bindings). Such a resource is not stored. */
  readonly review?: ReviewHandler
  /** Handles reads without storing anything: the name of a function or collection in the server's table of reports. */
  readonly report?: string
  /** Objects expire this long after their last write (events: one hour). */
  readonly ttlMs?: number
  /** The name of the CustomResourceDefinition, for custom resources. */
  readonly customDefinition?: string
  /**
   * Changes with everything that clients can see of the definition (its uid and generation). OpenAPI's URLs depend on it, and are slower to
   * compute without it.
   */
  readonly fingerprint?: string
}

/** Whether Kubernetes caches these objects. Those that expire (events) it reads from its store, whose errors have other words. */
export const isCached = ({ ttlMs }: ResourceDefinition): boolean => ttlMs === undefined

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

export interface ResourceNames {
  readonly kind: string
  /** `kind` + `List` when absent. */
  readonly listKind?: string
  readonly plural: string
  readonly singular: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

export interface ResourceVersion {
  readonly version: string
  /** The group of this version if it differs from the definition's (never for custom resources). */
  readonly served: boolean
  /** False: objects may be stored in this version, but clients cannot use it. */
  readonly schema: () => Schema
  readonly columns: readonly PrinterColumn[]
  /** Field selectors beyond `metadata.name` and `metadata.namespace`: field label → its value in an object of this version. */
  readonly selectableFields?: SelectableFields
  /** Decodes bodies of custom resources; built-in ones are decoded by their schema. */
  readonly decode?: (json: Json, options: CustomDecodeOptions) => Decoded
  /** The subresources of this version, if versions differ in them (custom resources). */
  readonly subresources?: Readonly<Record<string, Subresource>>
  /** The `Warning` header sent with every request on this version. */
  readonly deprecationWarning?: string
}

/** A condition of a table row. */
export interface RowCondition {
  readonly type: 'Completed'
  readonly status: 'True'
  readonly reason: string
  readonly message: string
}

/** Field label → its value in an object. Bivariant in the kind for the same reason as `ResourceRules`. */
export type SelectableFields<T extends KubeObject = KubeObject> = Readonly<Record<string, { read(object: T): string }['read']>>

export interface CustomDecodeOptions extends DecodeOptions {
  /**
   * A server-side apply made it, in the stored version or another one. Kubernetes does not decode it: validation rejects invalid nulls and
   * embedded metadata, and metadata fields that cannot be read count as absent, unless the object is converted.
   */
  readonly appliedAs?: 'stored' | 'converted'
}

/** A column of the server-side table (`kubectl get`). */
export interface PrinterColumn<T extends KubeObject = KubeObject> {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format: '' | 'name' | 'int32' | 'int64' | 'float' | 'double' | 'byte' | 'date' | 'date-time' | 'password'
  readonly description: string
  /** 0 is always shown; larger numbers only in the wide view. */
  readonly priority: number
  /** False: rows have its cell, and tables do not declare it. Default true. */
  readonly declared?: boolean
  /** The cell. Ages are formatted as in the table (`5m3s`), relative to `now`; the columns that others define share the work of a `row`. */
  cell(object: T, now: number, row?: RowBudget): string | number | bigint | boolean | null
}

/** Bivariant in the kind for the same reason as `ResourceRules`. */
export type Converter<T extends KubeObject = KubeObject> = {
  convert(objects: readonly T[], toApiVersion: string): Later<readonly T[]>
}['convert']

/** What a rule may know besides the object. */
export interface RulesContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly random: Random
  readonly user: UserInfo
  readonly dryRun: boolean
  /** The subresource of the request; `''` for the resource itself. */
  readonly subresource: string
  /** The apiVersion of the request. */
  readonly apiVersion: string
  /** Permits privileged containers: kube-apiserver's flag, off by default. */
  readonly allowPrivileged?: boolean
  /** The feature gates that are on although Kubernetes 1.36 has them off by default. */
  readonly gates?: ReadonlySet<string>
  /** Adds a `Warning` header to the response. */
  warn(text: string): void
  /** Reads the present state of other resources from this server's cache; never waits for the store. */
  readonly reader: Reader
  /** Writes objects that belong to the present one (the IPAddress of a cluster address); only for `reserve` and `afterDelete`. */
  readonly writer?: Writer
  /** By resource (`services`): allocates values that must be unique. Absent: nothing is allocated. */
  readonly allocators?: Allocators | undefined
}

/** By the plural name of the resource. */
export type Allocators = Readonly<Record<string, Allocator | undefined>>

/**
 * Allocates values that must be unique across objects (addresses, ports), by conditional writes in the store: servers that share a store
 * never allocate the same value twice.
 */
export interface Allocator {
  /**
   * Completes the draft with values that are free as far as is known; reserves nothing. Throws the error of the request if there are none.
   */
  choose(draft: KubeObject, old: KubeObject | undefined, context: RulesContext): void
  /**
   * Reserves the values that the draft has and `old` has not. A chosen value that was taken meanwhile is chosen again; a requested one is
   * an error.
   */
  reserve(draft: KubeObject, old: KubeObject | undefined, context: RulesContext): Promise<Reservation | undefined>
  /** Releases the values of a deleted object. */
  release(object: KubeObject, context: RulesContext): Promise<void>
}

/** Values reserved for a write that is not committed yet. One of the two methods is called. */
export interface Reservation {
  /** The write is committed: values that the object no longer has are released. */
  done?(): Promise<void>
  /** The write failed: the reserved values are released. */
  undo(): Promise<void>
}

/** Writes other objects directly to the store, as the server: no admission, no validation. */
export interface Writer {
  /** Returns false if an object of that name exists. */
  create(group: string, resource: string, object: KubeObject): Promise<boolean>
  /** Deletes the object if it exists. */
  delete(group: string, resource: string, namespace: string, name: string): Promise<void>
}

/** Reads objects in their storage version from the caches. Results are frozen. */
export interface Reader {
  get(group: string, resource: string, namespace: string, name: string): KubeObject | undefined
  list(group: string, resource: string, namespace?: string): readonly KubeObject[]
}

/**
 * The rules of a kind for each step of a write. All functions are pure except that they may change `draft`; `old` is frozen. Objects are in
 * the storage version. They are methods, which TypeScript compares bivariantly: the rules of one kind (`T`) can be used as rules of any
 * kind, since they only get objects of their kind.
 */
export interface ResourceRules<T extends KubeObject = KubeObject> {
  /**
   * Fills in defaults, only when a request is decoded. Runs on whole objects, also before updates and after patches. Steps, where there may
   * be many: call it by `applyDefaults`.
   */
  defaults?(draft: T): Steps<void> | undefined | void
  /** Removes fields that clients may not set at creation, and sets those of the server. Runs after mutating admission. */
  prepareForCreate?(draft: T, context: RulesContext): void
  validateCreate?(object: T, context: RulesContext): readonly FieldError[]
  /** Restores fields that clients may not change (the status for the resource, the spec for the status subresource). */
  prepareForUpdate?(draft: T, old: T, context: RulesContext): void
  validateUpdate?(object: T, old: T, context: RulesContext): readonly FieldError[]
  /** Default `not`. */
  readonly metadataChecks?: MetadataChecks
  /** The metadata of a new object is validated only when nothing else is wrong. */
  readonly metadataLast?: boolean
  /** Validation that may take long (CEL rules), after the others, whose faults are `found`; `old` is undefined for a create. */
  validateInSteps?(object: T, old: T | undefined, context: RulesContext, found?: readonly FieldError[]): Steps<readonly FieldError[]>
  /** Texts for `Warning` headers. `old` is undefined for a create. */
  warnings?(object: T, old: T | undefined, context: RulesContext): readonly string[]
  /** Normal form, before validation. */
  canonicalize?(draft: T): void
  /** Of what server-side apply made: without the nulls that are validated and not stored. The argument is not changed. */
  withoutNulls?(object: T): T
  /**
   * Validates `metadata.name`; each text is a fault. Default: a DNS subdomain. `generated`: the name is a `generateName` prefix. The name
   * may have to follow from the object.
   */
  validateName?(name: string, generated: boolean, object: T): readonly string[]
  /** A generated name is the prefix itself, without a random suffix. */
  readonly generatesWithoutSuffix?: boolean
  /**
   * `spec`: 1 at creation, then incremented whenever anything but metadata and status changed. `created`: always 1. `none`: the field is
   * absent. Default: `none`.
   */
  readonly generation?: 'spec' | 'created' | 'none'
  /** Lists and maps that a body gives empty count as changes of the specification, too. */
  readonly generationCountsEmpty?: boolean
  /**
   * The fields of the status subresource; a write to the resource keeps them, a write to the status changes only them. Default `['status']`
   * if there is a `status` subresource.
   */
  readonly statusFields?: readonly string[]
  /** PUT of a missing object creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean
  /** An update without resourceVersion is unconditional. Default true. */
  readonly allowUnconditionalUpdate?: boolean
  /** Graceful deletion (pods): the grace period in seconds; with 0 the object is marked, and deleted at once. Undefined: not graceful. */
  gracePeriodSeconds?(object: T, wanted: number | undefined): number | undefined
  /** Runs between validation and commit; may reserve values elsewhere (addresses, ports). */
  reserve?(draft: T, old: T | undefined, context: RulesContext): Promise<Reservation | undefined>
  /** Runs after the object was deleted. */
  afterDelete?(object: T, context: RulesContext): Promise<void>
  /**
   * A delete marks the object (its deletionTimestamp is set already) and keeps it as long as this returns true (a namespace with finalizers
   * in its spec). `first`: it was not marked before; then the draft may be changed.
   */
  holdOnDelete?(draft: T, context: RulesContext, first: boolean): boolean
  /** A delete that takes effect at once returns the object as it was, not a Status. */
  readonly returnsDeleted?: boolean
  /**
   * An update of an object that is marked as being deleted and has no finalizers (left) completes the deletion. This can delay it (a
   * namespace with finalizers in its spec).
   */
  deletesOnUpdate?(object: T, old: T): boolean
  /**
   * The propagation policy if the client gives none. Default `Background`; `Unsupported`: the objects have no dependents, whatever the
   * client gives.
   */
  readonly defaultPropagation?: 'Background' | 'Foreground' | 'Orphan' | 'Unsupported'
  /** The `Warning` of a delete without a propagation policy. */
  readonly deleteWarning?: string
  /** Fields that a write by this path cannot own: subresource (`''` for the resource) → JSON paths. */
  readonly resetFields?: Readonly<Record<string, readonly (readonly string[])[]>>
}

/** A path below an object: `/api/v1/namespaces/x/pods/y/SUBRESOURCE`. */
export type Subresource<T extends KubeObject = KubeObject> =
  /** The same object, of which only `statusFields` can be written. `rules` override the resource's own for writes by this path. */
  | {
      readonly kind: 'status'
      readonly rules?: Partial<ResourceRules<T>>
      readonly verbs?: readonly Verb[]
      /** False where Kubernetes has no table of it. */
      readonly table?: false
    }
  /** The same object, of which other parts can be written (resize, ephemeralcontainers, approval, finalize). */
  | { readonly kind: 'part'; readonly rules: Partial<ResourceRules<T>>; readonly verbs: readonly Verb[] }
  /** `autoscaling/v1 Scale`, read and written through paths in the object. */
  | {
      readonly kind: 'scale'
      readonly specReplicas: readonly string[]
      readonly statusReplicas: readonly string[]
      /** The path of the selector; an object selector is printed as a string. */
      readonly selector?: readonly string[]
    }
  /** An input of another kind that has an effect (binding, eviction, token). */
  | {
      readonly kind: 'action'
      readonly verbs: readonly Verb[]
      readonly input: GroupVersionKind
      /** Fills in defaults of the input. */
      defaults?(input: KubeObject): void
      /** The name of the function in the server's table of actions. */
      readonly action: string
    }
  /** A stream or a proxy (log, exec, attach, portforward, proxy), handled by the server's connector of that name. */
  | {
      readonly kind: 'connect'
      readonly connector: string
      /** The media type that it writes, if it is read like an object and the Accept header is to be honoured. */
      readonly produces?: string
      readonly methods: readonly string[]
      readonly verbs: readonly Verb[]
      readonly input?: GroupVersionKind
      /** The options as an object of that kind, for admission; `path` is the rest of the path of a proxy. Throws for invalid options. */
      readonly options?: (query: ConnectQuery, path: string) => JsonObject
    }

/** The parameters of a connection. */
export interface ConnectQuery {
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

/** The name of the function in the server's table of reviews (`subjectaccessreviews`, `tokenreviews`, …). */
export interface ReviewHandler {
  readonly review: string
}

/** The subresources of one version. */
export const subresourcesOf = (definition: ResourceDefinition, version: ResourceVersion): Readonly<Record<string, Subresource>> =>
  version.subresources ?? definition.subresources ?? {}

/** Reads a JSON path such as `['spec', 'replicas']`. */
export function readPath(object: KubeObject | JsonObject, path: readonly string[]): unknown {
  let at: unknown = object
  for (const name of path) {
    if (at === null || typeof at !== 'object') return undefined
    at = Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : undefined
  }
  return at
}
