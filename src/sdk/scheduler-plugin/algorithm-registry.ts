import type { Pod } from '../../resources/types/core.ts'
import type { PluginNode } from './scheduler-plugin.ts'

/**
 * Whether a pod fits on a node: the predicate of schedulers before the framework. `[false, ['why not', …]]` gives the reasons for the
 * pod's condition.
 *
 * ```ts
 * registerFitPredicate('HasDisk', (_pod, { node }) => node.metadata.labels?.disk !== undefined || [false, ['node(s) had no disk']])
 * ```
 */
export type FitPredicate = (pod: Pod, node: PluginNode) => Fit | Promise<Fit>

/** The result of a `FitPredicate`. */
export type Fit = boolean | readonly [fits: boolean, reasons?: readonly string[]]

/** How well a pod suits a node, from 0 to 10; any number where a `PriorityReduceFunction` follows. */
export type PriorityMapFunction = (pod: Pod, node: PluginNode) => number | Promise<number>

/** Scales the results of a `PriorityMapFunction`, one a node, to numbers from 0 to 10, in place. */
export type PriorityReduceFunction = (pod: Pod, result: HostPriority[]) => void | Promise<void>

/** A node and its score. */
export interface HostPriority {
  readonly host: string
  score: number
}

/** What a `PriorityConfigFactory` may use. */
export interface PluginFactoryArgs {
  /** From the policy; default 1. */
  readonly hardPodAffinitySymmetricWeight: number
}

/** A priority that is made when its scheduler starts. */
export interface PriorityConfigFactory {
  mapReduceFunction(args: PluginFactoryArgs): { readonly map: PriorityMapFunction; readonly reduce?: PriorityReduceFunction }
  readonly weight: number
}

/** A predicate as a policy names it: one of Kubernetes', one that was registered, or one that its argument describes. */
export interface PredicatePolicy {
  readonly name: string
  readonly argument?: {
    /** Pods of one service go to nodes that agree in these labels. */
    readonly serviceAffinity?: { readonly labels: readonly string[] }
    /** Nodes must have all of these labels, or none of them. */
    readonly labelsPresence?: { readonly labels: readonly string[]; readonly presence: boolean }
  }
}

/**
 * Replaces the whole choice: given a pod and all nodes, returns the name of its node. Throws a `FitError` (or any error) when there is
 * none.
 */
export interface ScheduleAlgorithm {
  schedule(pod: Pod, nodes: readonly PluginNode[]): string | Promise<string>
}

/** A pod fits nowhere: what a `ScheduleAlgorithm` throws, with the reasons of each node by its name. */
export class FitError extends Error {
  override readonly name = 'FitError'
  readonly failedPredicates: Readonly<Record<string, readonly string[]>>
  constructor(failedPredicates: Readonly<Record<string, readonly string[]>>) {
    super('the pod fits on no node')
    this.failedPredicates = failedPredicates
  }
}

/** What the module of a scheduler has registered, by name. */
export interface Registrations {
  readonly predicates: Map<string, FitPredicate | PredicatePolicy>
  readonly priorities: Map<string, PriorityConfigFactory>
  readonly providers: Map<string, AlgorithmProvider>
  readonly algorithms: Map<string, ScheduleAlgorithm>
}

/** Sets of predicates and priorities that go by one name. */
export interface AlgorithmProvider {
  readonly predicates: ReadonlySet<string>
  readonly priorities: ReadonlySet<string>
}

const KEY = Symbol.for('bowsprit.scheduler.registrations')

/**
 * What was registered in this thread. It is a global because the thread's own code and the package that the module imports are two bundles.
 */
export function registrations(): Registrations {
  const holder = globalThis as { [KEY]?: Registrations }
  holder[KEY] ??= { predicates: new Map(), priorities: new Map(), providers: new Map(), algorithms: new Map() }
  return holder[KEY]
}

function named<T>(map: Map<string, T>, what: string, name: string, value: T): string {
  if (typeof name !== 'string' || !/^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$/.test(name))
    throw new TypeError(`${JSON.stringify(name)} cannot be the name of a ${what}: letters, digits and "-" within can`)
  map.set(name, value)
  return name
}

/** Registers a predicate under a name that policies and providers may use; gives the name back. One of the same name is replaced. */
export function registerFitPredicate(name: string, predicate: FitPredicate): string {
  return named(registrations().predicates, 'predicate', name, predicate)
}

/** Registers a predicate that its argument describes, or reuses an existing one; returns the name. */
export function registerCustomFitPredicate(policy: PredicatePolicy): string {
  const { name, argument } = policy
  if (argument === undefined) return name
  if ((argument.serviceAffinity === undefined) === (argument.labelsPresence === undefined))
    throw new TypeError(`predicate ${JSON.stringify(name)} needs one argument: serviceAffinity or labelsPresence`)
  return named(registrations().predicates, 'predicate', name, policy)
}

/**
 * Registers a priority of two steps: `map` scores a node, `reduce` (may be undefined) sees all scores. `weight` applies where no policy
 * gives another.
 *
 * ```ts
 * registerPriorityFunction2('Quiet', (_pod, { pods }) => 10 - Math.min(10, pods.length), undefined, 5)
 * ```
 */
export function registerPriorityFunction2(
  name: string,
  map: PriorityMapFunction,
  reduce: PriorityReduceFunction | undefined,
  weight: number,
): string {
  const made = reduce === undefined ? { map } : { map, reduce }
  return registerPriorityConfigFactory(name, { mapReduceFunction: () => made, weight })
}

/** Registers a priority that is made when its scheduler starts; gives the name back. */
export function registerPriorityConfigFactory(name: string, factory: PriorityConfigFactory): string {
  if (!Number.isInteger(factory.weight) || factory.weight <= 0)
    throw new TypeError(`priority ${JSON.stringify(name)} needs a positive whole number as its weight, not ${factory.weight}`)
  return named(registrations().priorities, 'priority', name, factory)
}

/** Registers sets of predicates and priorities under the name that `--algorithm-provider` takes; gives the name back. */
export function registerAlgorithmProvider(name: string, predicates: Iterable<string>, priorities: Iterable<string>): string {
  return named(registrations().providers, 'algorithm provider', name, {
    predicates: new Set(predicates),
    priorities: new Set(priorities),
  })
}

/**
 * Registers an algorithm that replaces all predicates and priorities, under the name that `--algorithm-provider` takes. Returns the name.
 */
export function registerScheduleAlgorithm(name: string, algorithm: ScheduleAlgorithm): string {
  return named(registrations().algorithms, 'schedule algorithm', name, algorithm)
}

/** The predicates of `DefaultProvider`. */
export function defaultPredicates(): Set<string> {
  return new Set([
    'CheckNodeUnschedulable',
    'GeneralPredicates',
    'PodToleratesNodeTaints',
    'NoDiskConflict',
    'MaxCSIVolumeCountPred',
    'CheckVolumeBinding',
    'NoVolumeZoneConflict',
    'EvenPodsSpread',
    'MatchInterPodAffinity',
  ])
}

/** The priorities of `DefaultProvider`. */
export function defaultPriorities(): Set<string> {
  return new Set([
    'TaintTolerationPriority',
    'NodeAffinityPriority',
    'LeastRequestedPriority',
    'EvenPodsSpreadPriority',
    'InterPodAffinityPriority',
    'BalancedResourceAllocation',
    'ImageLocalityPriority',
  ])
}

/** A copy of a set in which one name, if it is present, is replaced by another. */
export function copyAndReplace(set: ReadonlySet<string>, replaceWhat: string, replaceWith: string): Set<string> {
  return new Set([...set].map((name) => (name === replaceWhat ? replaceWith : name)))
}
