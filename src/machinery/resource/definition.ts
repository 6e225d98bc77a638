import type { Random } from '../../base/random.ts'
import type { Steps } from '../../base/steps.ts'
import type { FieldError } from '../field-error.ts'
import type { GroupVersionKind, Json, JsonObject, KubeObject } from '../object.ts'
import type { Decoded, DecodeOptions } from '../schema/decode.ts'
import type { Schema } from '../schema/schema.ts'
import type { MetadataChecks } from '../validation/object-meta.ts'
import type { UserInfo } from './user.ts'

/**
 * Everything the server knows of a resource. A built-in kind is such a value in a file under `resources/`; a CustomResourceDefinition
 * becomes such a value when it is established; a ThirdPartyResource becomes a CustomResourceDefinition. The same handlers serve all three.
 * Discovery, OpenAPI, tables and typed clients are views of these values.
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
  /** Stored objects may have other versions than the storage version (custom resources whose definition changed). */
  readonly storedInOthers?: boolean
  /** Where it is stored when that is not its own group and plural (events.k8s.io shares core events). */
  readonly storedAs?: { readonly group: string; readonly resource: string }
  /** Turns objects from their own apiVersion into another; needed when there are several versions. Never changes its arguments. */
  readonly convert?: Converter
  /** The verbs served; all of them when absent. */
  readonly verbs?: readonly Verb[]
  readonly rules: ResourceRules
  /** `status`, `scale`, `binding`, … by name. */
  readonly subresources?: Readonly<Record<string, Subresource>>
  /** Answers `create` without storing anything (reviews, bindings). A resource that has it has no store. */
  readonly review?: ReviewHandler
  /**
   * Answers `get` without storing anything: the name of a function in the server's table of reports. A resource that has it has no store.
   */
  readonly report?: string
  /** Objects vanish this long after their last write (events: one hour). */
  readonly ttlMs?: number
  /** Set for custom resources: the name of the CustomResourceDefinition. */
  readonly customDefinition?: string
  /**
   * Changes whenever anything does that clients can see of the definition (its uid and generation). OpenAPI's URLs depend on it; slower
   * without.
   */
  readonly fingerprint?: string
}

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
  /** The group of this version when it differs from the definition's (never for custom resources). */
  readonly served: boolean
  /** Compiled when first used. */
  readonly schema: () => Schema
  readonly columns: readonly PrinterColumn[]
  /** Field selectors beyond `metadata.name` and `metadata.namespace`: field label → how to read it from an object of this version. */
  readonly selectableFields?: SelectableFields
  /** Reads bodies of custom resources; built-in ones are read by their schema. */
  readonly decode?: (json: Json, options: CustomDecodeOptions) => Decoded
  /** The subresources of this version, when versions differ in them (custom resources). */
  readonly subresources?: Readonly<Record<string, Subresource>>
  /** The `Warning` header sent with every request on this version. */
  readonly deprecationWarning?: string
}

/** Field label → how to read it from an object. Bivariant in the kind for the same reason as `ResourceRules`. */
export type SelectableFields<T extends KubeObject = KubeObject> = Readonly<Record<string, { read(object: T): string }['read']>>

export interface CustomDecodeOptions extends DecodeOptions {
  /** Nulls where none are allowed stay, to be refused (what server-side apply made). */
  readonly keepNulls?: boolean
}

/** A column of the server-side table (`kubectl get`). */
export interface PrinterColumn<T extends KubeObject = KubeObject> {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format: '' | 'name' | 'int32' | 'int64' | 'float' | 'double' | 'byte' | 'date' | 'date-time' | 'password'
  readonly description: string
  /** 0 is always shown; more only in the wide view. */
  readonly priority: number
  /** The cell. Ages are given as the table shows them (`5m3s`), for which `now` is passed in. */
  cell(object: T, now: number): string | number | boolean | null
}

/** Bivariant in the kind for the same reason as `ResourceRules`. */
export type Converter<T extends KubeObject = KubeObject> = {
  convert(objects: readonly T[], toApiVersion: string): readonly T[] | Promise<readonly T[]>
}['convert']

/** What a rule may know beyond the object. */
export interface RulesContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly random: Random
  readonly user: UserInfo
  readonly dryRun: boolean
  /** The subresource the request addresses; `''` for the resource itself. */
  readonly subresource: string
  /** The apiVersion of the request. */
  readonly apiVersion: string
  /** Containers may be privileged: kube-apiserver's flag, off when absent. */
  readonly allowPrivileged?: boolean
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void
  /** Reads the present state of other resources from this server's cache; never blocks on the store. */
  readonly reader: Reader
  /** Writes what belongs to the object at hand (the IPAddress of a cluster address); only `reserve` and `afterDelete` may use it. */
  readonly writer?: Writer
  /** By resource (`services`): who chooses and takes what no two objects may have. Absent: nothing is chosen. */
  readonly allocators?: Allocators | undefined
}

/** By the plural name of the resource. */
export type Allocators = Readonly<Record<string, Allocator | undefined>>

/**
 * Chooses for objects what no two of them may have (addresses, ports), and takes it by conditional writes in the store: servers that share
 * a store never give the same twice.
 */
export interface Allocator {
  /** Completes the draft with what is free as far as is known. Nothing is taken. Throws the answer where something cannot be had. */
  choose(draft: KubeObject, old: KubeObject | undefined, context: RulesContext): void
  /**
   * Takes what the draft has and `old` had not; what was chosen, not asked for, and is taken meanwhile, is chosen anew. Throws the answer.
   */
  reserve(draft: KubeObject, old: KubeObject | undefined, context: RulesContext): Promise<Reservation | undefined>
  /** Gives back what an object had that has gone. */
  release(object: KubeObject, context: RulesContext): Promise<void>
}

/** What was taken for a write that is not committed yet. One of the two is called. */
export interface Reservation {
  /** The write is committed: what the object had before, and has no more, is given back. */
  done?(): Promise<void>
  /** The write failed: what was taken is given back. */
  undo(): Promise<void>
}

/** Writes other objects straight to the store, as the server itself: no admission, no validation. */
export interface Writer {
  /** False when an object of that name is there already. */
  create(group: string, resource: string, object: KubeObject): Promise<boolean>
  /** Deletes it if it is there. */
  delete(group: string, resource: string, namespace: string, name: string): Promise<void>
}

/** Reads objects in their storage version from the registry's caches. What comes back is frozen. */
export interface Reader {
  get(group: string, resource: string, namespace: string, name: string): KubeObject | undefined
  list(group: string, resource: string, namespace?: string): readonly KubeObject[]
}

/**
 * What is particular to a kind in the life of a write. All functions are pure but for the draft that they are handed:
 * `draft` is theirs to change; `old` is frozen. Objects are in the storage version. They are methods, which TypeScript compares
 * bivariantly: the rules of one kind (`T`) may stand where those of any kind are expected, since they only ever get objects of their kind.
 */
export interface ResourceRules<T extends KubeObject = KubeObject> {
  /** Fills defaults, at decoding of every request and never later. Runs on whole objects, also before updates and after patches. */
  defaults?(draft: T): void
  /** Drops what a client may not set at creation, sets what the server sets. Runs after mutating admission. */
  prepareForCreate?(draft: T, context: RulesContext): void
  validateCreate?(object: T, context: RulesContext): readonly FieldError[]
  /** Keeps what a client may not change (status by the resource, spec by the status subresource). */
  prepareForUpdate?(draft: T, old: T, context: RulesContext): void
  validateUpdate?(object: T, old: T, context: RulesContext): readonly FieldError[]
  /** Default `not`. */
  readonly metadataChecks?: MetadataChecks
  /** Validation that may take long (rules that authors wrote), after the others; `old` is undefined on create. */
  validateInSteps?(object: T, old: T | undefined, context: RulesContext): Steps<readonly FieldError[]>
  /** Texts for `Warning` headers. `old` is undefined on create. */
  warnings?(object: T, old: T | undefined, context: RulesContext): readonly string[]
  /** Normal form, after validation. */
  canonicalize?(draft: T): void
  /** Checks `metadata.name`; each text is a fault. DNS subdomain when absent. `generated` asks about a `generateName` prefix. */
  readonly validateName?: (name: string, generated: boolean) => readonly string[]
  /**
   * `spec`: 1 at creation, then one more whenever anything but metadata and status changed. `created`: 1 for ever. `none`: the field stays
   * absent. Default: `none`.
   */
  readonly generation?: 'spec' | 'created' | 'none'
  /**
   * The fields that the status subresource owns; a resource write keeps them, a status write changes only them. Default `['status']` when
   * there is a `status` subresource.
   */
  readonly statusFields?: readonly string[]
  /** PUT of a missing object creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean
  /** An update without resourceVersion is taken as of now. Default true. */
  readonly allowUnconditionalUpdate?: boolean
  /** Graceful deletion (pods): the grace in seconds to give; with 0 the object is marked, and goes at once. Undefined: not graceful. */
  gracePeriodSeconds?(object: T, asked: number | undefined): number | undefined
  /** Runs between validation and commit, may reserve things elsewhere (addresses, ports). */
  reserve?(draft: T, old: T | undefined, context: RulesContext): Promise<Reservation | undefined>
  /** After the object has gone. */
  afterDelete?(object: T, context: RulesContext): Promise<void>
  /**
   * Delete marks the object (its deletionTimestamp is set already) and keeps it as long as this returns true (a namespace with finalizers
   * in its spec). The draft may be changed.
   */
  holdOnDelete?(draft: T, context: RulesContext): boolean
  /** A delete that takes effect at once answers with the object as it was, not with a Status. */
  readonly returnsDeleted?: boolean
  /**
   * An update of an object that is marked as being deleted and has no finalizers (left) lets it go. This can hold it longer (a namespace
   * with finalizers in its spec).
   */
  deletesOnUpdate?(object: T, old: T): boolean
  /** The propagation policy when the client gives none. Default `background`. */
  readonly defaultPropagation?: 'Background' | 'Foreground' | 'Orphan'
  /** The `Warning` of a delete that names no propagation policy. */
  readonly deleteWarning?: string
  /** Resets managed fields that a write by this path may not own: subresource (`''` for the resource) → JSON paths. */
  readonly resetFields?: Readonly<Record<string, readonly (readonly string[])[]>>
}

/** A path behind a resource: `/api/v1/namespaces/x/pods/y/SUBRESOURCE`. */
export type Subresource<T extends KubeObject = KubeObject> =
  /** The same object, of which only `statusFields` can be written. `rules` replaces the resource's own for writes by this path. */
  | { readonly kind: 'status'; readonly rules?: Partial<ResourceRules<T>>; readonly verbs?: readonly Verb[] }
  /** The same object, of which other parts can be written (resize, ephemeralcontainers, approval, finalize). */
  | { readonly kind: 'part'; readonly rules: Partial<ResourceRules<T>>; readonly verbs: readonly Verb[] }
  /** `autoscaling/v1 Scale`, read and written through paths in the object. */
  | {
      readonly kind: 'scale'
      readonly specReplicas: readonly string[]
      readonly statusReplicas: readonly string[]
      /** The path of the selector; an object selector is printed as text. */
      readonly selector?: readonly string[]
    }
  /** An input of another kind, and an effect (binding, eviction, token). */
  | {
      readonly kind: 'action'
      readonly verbs: readonly Verb[]
      readonly input: GroupVersionKind
      /** Fills in what the input leaves to Kubernetes. */
      defaults?(input: KubeObject): void
      /** The name of the function in the server's table of actions. */
      readonly action: string
    }
  /** A stream or a proxy (log, exec, attach, portforward, proxy): handed to the server's connector of that name. */
  | {
      readonly kind: 'connect'
      readonly connector: string
      readonly methods: readonly string[]
      readonly verbs: readonly Verb[]
      readonly input?: GroupVersionKind
      /**
       * What is asked for, as an object of that kind, for admission; `path` is the rest of the path behind a proxy. Throws for options that
       * cannot be read.
       */
      readonly options?: (query: ConnectQuery, path: string) => JsonObject
    }

/** The parameters of a connection. */
export interface ConnectQuery {
  get(name: string): string | undefined
  all(name: string): readonly string[]
}

/** Names the function that answers in the server's table of reviews (`subjectaccessreviews`, `tokenreviews`, …). */
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
