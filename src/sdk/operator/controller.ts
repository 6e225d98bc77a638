import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Client } from '../client/client.ts'
import type { EventType } from '../controller/event-recorder.ts'
import type { Indexers } from '../informer/informer.ts'
import type { ConditionNow } from '../kinds/condition.ts'
import type { Kind } from '../kinds/kind.ts'
import type { KindReader } from './kind-cache.ts'
import { OperatorError } from './operator-error.ts'
import type { Predicate } from './predicates.ts'

/** Which object is to be reconciled. */
export interface Request {
  readonly name: string
  /** Absent for objects of the cluster. */
  readonly namespace?: string
}

/** The status of a kind's objects, without what is filled in. */
export type StatusFields<T extends KubeObject> = Omit<NonNullable<T['status']>, 'conditions' | 'observedGeneration'>

/** The result of a reconciliation. A field that is absent changes nothing. */
export interface Outcome<T extends KubeObject = KubeObject> {
  /**
   * All objects that this one is to own. Each is applied (server-side) where it differs, with the owner reference, and in the owner's
   * namespace; what was applied earlier and is not in the list is deleted. An empty list deletes them all; no list leaves them alone.
   */
  readonly children?: readonly KubeObject[]
  /** The whole status, without conditions and observedGeneration. Written where it differs. */
  readonly status?: StatusFields<T>
  /** All conditions that this controller sets. Times and generations are filled in. */
  readonly conditions?: readonly ConditionNow[]
  /** Come again after this long, in milliseconds, even if nothing changes. */
  readonly requeueAfterMs?: number
}

/** What a reconciler is given. */
export interface ReconcileContext<T extends KubeObject = KubeObject> {
  /** The object as this process knows it; shared: clone it (`cloneJson`) before changing it. */
  readonly object: Readonly<T>
  /** What the object owns, of a kind in `owns`. */
  children<C extends KubeObject>(kind: Kind<C>): readonly Readonly<C>[]
  /** The copy of a kind in `for`, `owns` or `watches`; of others there is none. */
  read<C extends KubeObject>(kind: Kind<C>): KindReader<C>
  /** Straight to the API server: for what is neither a child nor a status. */
  readonly client: Client
  /** Records an event about the object. Repeated events are counted. Report actions, not states. */
  event(type: EventType, reason: string, message: string): void
  /** Aborted when the manager stops, leadership is lost, or the time for this reconciliation is over. */
  readonly signal: AbortSignal
  readonly clock: Clock
  /** Has the names of the controller and the object. */
  readonly log: Logger
}

/** A watched kind, and the objects that its changes concern. `watch(…)` makes one. */
export interface Watch {
  readonly kind: Kind
  readonly requests: (object: Readonly<KubeObject>, read: <C extends KubeObject>(kind: Kind<C>) => KindReader<C>) => readonly Request[]
  readonly when?: Predicate | undefined
  readonly labelSelector?: string | undefined
  readonly indexes?: Indexers<KubeObject> | undefined
}

/** How a watched kind leads to objects that are to be reconciled. */
export interface WatchConfig<C extends KubeObject> {
  /** The objects that a change of this one concerns. After an update it is called with the old and with the new state. */
  readonly requests: (object: Readonly<C>, read: <D extends KubeObject>(kind: Kind<D>) => KindReader<D>) => readonly Request[]
  /** Default: every change counts. */
  readonly when?: Predicate<C>
  /** Only objects whose labels match, in kubectl's notation. Default: all. */
  readonly labelSelector?: string
  readonly indexes?: Indexers<C>
}

/**
 * Looks at a kind that the controller does not own.
 *
 * ```ts
 * const secrets = watch(kinds.SECRET, { requests: (secret) => [{ namespace: secret.metadata.namespace ?? '', name:
 * secret.metadata.labels?.gadget ?? '' }] })
 * ```
 */
export function watch<C extends KubeObject>(kind: Kind<C>, config: WatchConfig<C>): Watch {
  // The cache of a kind holds nothing but its objects.
  return { kind, ...config } as Watch
}

/** An owned kind of which not every change counts. */
export interface Owned {
  readonly kind: Kind
  readonly when: Predicate
}

/** What a controller is. */
export interface ControllerConfig<T extends KubeObject> {
  /** The kind whose objects are reconciled. */
  readonly for: Kind<T>
  /** For logs, metrics and the field manager. Default: the kind in small letters. Two controllers of a manager need two names. */
  readonly name?: string
  /** Which changes of the objects themselves count. Default: all; `generationChanged` is usual where the status is one's own. */
  readonly when?: Predicate<T>
  /** Only objects whose labels match, in kubectl's notation. Default: all. */
  readonly labelSelector?: string
  /** The kinds of children: each change of one reconciles its owner. Children of other kinds are refused. */
  readonly owns?: readonly (Kind | Owned)[]
  readonly watches?: readonly Watch[]
  /** Indexes of objects of `for`: name of an index → a function that returns the values of an object. */
  readonly indexes?: Indexers<T>
  /**
   * Returns the desired state for this object, however often it is called. Never called twice at once for one object, and never for one
   * that is being deleted. An exception is logged, and the object is retried with a growing back-off.
   */
  readonly reconcile: (context: ReconcileContext<T>) => Promise<Outcome<T> | undefined> | Outcome<T> | undefined
  /**
   * Called in place of `reconcile` while the object is being deleted, until it returns `done`; only then the object is removed. With it
   * every object gets a finalizer before its first reconciliation.
   */
  readonly finalize?: (context: ReconcileContext<T>) => Promise<Outcome<T> | 'done'> | Outcome<T> | 'done'
  /** The finalizer's name. Default: `PLURAL.GROUP/NAME-OF-THE-CONTROLLER`. */
  readonly finalizer?: string
  /** Adopt children that exist already without an owner. Default false: that is an error. */
  readonly adopt?: boolean
  /** How many objects are reconciled at once. Default 1. */
  readonly workers?: number
  /** The signal of a reconciliation is aborted after this long, in milliseconds. Default: never. */
  readonly timeoutMs?: number
  /**
   * Waits after failures: an object's own from `firstMs` (5) doubling to `maxMs` (1,000,000), and all together no faster than `perSecond`
   * (10) after `burst` (100).
   */
  readonly rateLimit?: { readonly firstMs?: number; readonly maxMs?: number; readonly perSecond?: number; readonly burst?: number }
}

/** A controller, to be run by a manager. */
export interface Controller {
  readonly name: string
  readonly fieldManager: string
  readonly finalizer: string
  readonly workers: number
  readonly for: Kind
  readonly owns: readonly Owned[]
  readonly watches: readonly Watch[]
  readonly config: ControllerConfig<KubeObject>
}

/**
 * Defines a controller; `createManager` runs it.
 *
 * ```ts
 * const gadgets = controller({
 *   for: kindOf<KubeObject<{ size: number }>>({ group: 'example.com', version: 'v1', kind: 'Gadget', plural: 'gadgets' }),
 *   owns: [kinds.CONFIG_MAP],
 *   reconcile: ({ object: { metadata, spec } }) => ({
 *     children: [
 *       { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${metadata.name}-settings` }, data: { size: `${spec?.size ?? 1}` } },
 *     ],
 *   }),
 * })
 * ```
 * @throws {Error} if the configuration is invalid: a kind twice, an invalid field manager
 */
export function controller<T extends KubeObject>(config: ControllerConfig<T>): Controller {
  const { for: kind, name = kind.kind.toLowerCase(), workers = 1 } = config
  if (!/^[a-z0-9]([-a-z0-9.]{0,100}[a-z0-9])?$/.test(name))
    throw new OperatorError('bad-definition', `${name} is no name for a controller: small letters, digits, - and .`)
  if (!(Number.isInteger(workers) && workers > 0))
    throw new OperatorError('bad-definition', `controller ${name}: workers must be at least 1`)
  const owns = (config.owns ?? []).map((o) => ('when' in o ? o : { kind: o, when: {} }))
  const seen = new Set<string>()
  for (const { kind: owned } of owns) {
    const id = `${owned.apiVersion} ${owned.kind}`
    if (seen.has(id)) throw new OperatorError('bad-definition', `controller ${name} owns ${id} twice`)
    seen.add(id)
    if (kind.namespaced && !owned.namespaced)
      throw new OperatorError(
        'bad-definition',
        `controller ${name}: a ${owned.kind} has no namespace, and cannot be owned by a ${kind.kind}, which has one: use \`watches\` and a finalizer`,
      )
  }
  const finalizer = config.finalizer ?? `${kind.plural}.${kind.group === '' ? 'core' : kind.group}/${name}`
  return Object.freeze({
    name,
    fieldManager: name,
    finalizer,
    workers,
    for: kind,
    owns,
    watches: config.watches ?? [],
    // A controller's functions are called with objects of its own kind only.
    config: config as ControllerConfig<KubeObject>,
  })
}

/** A failure that another attempt would not fix: it is logged and not retried until something changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}
