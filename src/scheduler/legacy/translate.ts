import { showGoDuration } from '../../machinery/go/go-duration.ts'
import type { Json, JsonObject } from '../../machinery/object.ts'
import { defaultPredicates, defaultPriorities } from '../../sdk/scheduler-plugin/algorithm-registry.ts'
import { ConfigurationError } from '../config/configuration-error.ts'
import { GROUP_VERSION, KIND } from '../config/schema.ts'
import type { Point } from '../framework/extension-points.ts'
import { builtinPlugin, DEFAULT_PLUGINS } from '../plugins/registry.ts'
import { MANDATORY_PREDICATES, PREDICATES, PRIORITIES, type Successor } from './names.ts'
import type { Policy, PolicyExtender, PolicyPredicate, PolicyPriority } from './policy.ts'
import type { RegisteredModule } from './registered-module.ts'

/** What was chosen the old way: by a policy, or by the name of a provider. */
export interface LegacyChoice {
  readonly schedulerName?: string
  readonly policy?: Policy
  /** `DefaultProvider`, `ClusterAutoscalerProvider`, or one that the module registered. */
  readonly algorithmProvider?: string
  /** What an author's module has registered. */
  readonly module?: RegisteredModule
}

/** Plugins newer than policies that pods rely on: enabled with any policy. */
const ALWAYS = new Set([
  'SchedulingGates',
  'PrioritySort',
  'DynamicResources',
  'DefaultPreemption',
  'DefaultBinder',
  'NodeDeclaredFeatures',
])

/**
 * The KubeSchedulerConfiguration that does the same.
 * @throws {ConfigurationError} when a name is not known
 */
export function translateLegacy(choice: LegacyChoice): JsonObject {
  const { schedulerName, policy, algorithmProvider: provider = 'DefaultProvider', module } = choice
  const meta = { apiVersion: GROUP_VERSION, kind: KIND }
  const named: JsonObject = schedulerName === undefined ? {} : { schedulerName }
  if (policy !== undefined) return { ...meta, profiles: [{ ...named, ...profileOfPolicy(policy, module) }], ...extendersOf(policy) }
  const registered = module?.providers[provider]
  if (registered !== undefined) {
    const predicates = registered.predicates.map((name) => ({ name }))
    const priorities = registered.priorities.map((name) => ({ name, weight: module?.priorities[name] ?? weightOf(name) }))
    return { ...meta, profiles: [{ ...named, ...profileOfPolicy({ predicates, priorities }, module) }] }
  }
  if (module?.algorithms.includes(provider)) return { ...meta, profiles: [{ ...named, ...profileOfAlgorithm(provider, module) }] }
  if (provider === 'DefaultProvider') return { ...meta, profiles: [named] }
  if (provider === 'ClusterAutoscalerProvider') {
    const args = { scoringStrategy: { type: 'MostAllocated', resources: [...CPU_AND_MEMORY] } }
    return { ...meta, profiles: [{ ...named, pluginConfig: [{ name: 'NodeResourcesFit', args }] }] }
  }
  const known = ['DefaultProvider', 'ClusterAutoscalerProvider', ...Object.keys(module?.providers ?? {}), ...(module?.algorithms ?? [])]
  throw new ConfigurationError(`there is no algorithm provider ${JSON.stringify(provider)}; there are ${known.join(', ')}`)
}

const CPU_AND_MEMORY = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
]

/** The weight of a priority in today's default profile. */
function weightOf(priority: string): number {
  const plugin = PRIORITIES[priority]?.[0]?.plugin
  return DEFAULT_PLUGINS.find((p) => p.name === plugin)?.weight || 1
}

/** A profile while it is put together. */
class Draft {
  readonly filters = new Set<string>()
  readonly scores = new Map<string, number>()
  readonly args = new Map<string, JsonObject>()

  filter({ plugin, args }: Successor): void {
    this.filters.add(plugin)
    if (args !== undefined) this.args.set(plugin, args)
  }

  /** Two priorities with the same successor add their weights. */
  score({ plugin, args }: Successor, weight: number): void {
    this.scores.set(plugin, (this.scores.get(plugin) ?? 0) + weight)
    if (args !== undefined) this.args.set(plugin, args)
  }

  profile(): JsonObject {
    const at = new Map<Point, { name: string; weight?: number }[]>()
    const enable = (point: Point, ref: { name: string; weight?: number }) => at.set(point, [...(at.get(point) ?? []), ref])
    const takesPart = (name: string, point: Point) =>
      builtinPlugin(name)?.points.includes(point) ?? (point === 'filter' || point === 'score')
    for (const name of inOrder(this.filters))
      for (const point of ['preFilter', 'filter', 'reserve', 'preBind'] as const) if (takesPart(name, point)) enable(point, { name })
    for (const name of inOrder(this.scores.keys())) {
      if (takesPart(name, 'preScore')) enable('preScore', { name })
      enable('score', { name, weight: this.scores.get(name) ?? 1 })
    }
    return {
      plugins: {
        multiPoint: { disabled: [{ name: '*' }], enabled: DEFAULT_PLUGINS.filter((p) => ALWAYS.has(p.name)).map((p) => ({ ...p })) },
        ...sets(at),
      },
      pluginConfig: [...this.args].map(([name, args]) => ({ name, args })),
    }
  }
}

const sets = (at: ReadonlyMap<Point, Json[]>) => Object.fromEntries([...at].map(([point, enabled]) => [point, { enabled }]))

/** Today's plugins as the default profile has them, for the cheap come first there; then the others. */
function inOrder(names: Iterable<string>): readonly string[] {
  const place = (name: string) => DEFAULT_PLUGINS.findIndex((p) => p.name === name) + 1 || DEFAULT_PLUGINS.length + 1
  return [...names].sort((a, b) => place(a) - place(b))
}

function profileOfPolicy(policy: Policy, module: RegisteredModule | undefined): JsonObject {
  const draft = new Draft()
  const functions = { predicates: [] as string[], priorities: [] as { name: string; weight: number }[] }
  const predicates: readonly PolicyPredicate[] = policy.predicates ?? [...defaultPredicates()].map((name) => ({ name }))
  const priorities: readonly PolicyPriority[] =
    policy.priorities ?? [...defaultPriorities()].map((name) => ({ name, weight: weightOf(name) }))
  for (const predicate of [...MANDATORY_PREDICATES.map((name) => ({ name })), ...predicates]) {
    if (isFunction(predicate, module)) functions.predicates.push(predicate.name)
    else for (const successor of successorsOfPredicate(predicate, module)) draft.filter(successor)
  }
  for (const priority of priorities) {
    if (priority.argument === undefined && module?.priorities[priority.name] !== undefined)
      functions.priorities.push({ name: priority.name, weight: priority.weight })
    else for (const successor of successorsOfPriority(priority, module)) draft.score(distinct(successor, priority, draft), priority.weight)
  }
  const { hardPodAffinitySymmetricWeight: hard } = policy
  if (hard !== undefined) draft.args.set('InterPodAffinity', { hardPodAffinityWeight: hard })
  if (draft.scores.has('PodTopologySpread') && policy.priorities !== undefined && spreadsOtherwise(policy.priorities))
    draft.args.set('PodTopologySpread', { defaultingType: 'List' })
  if (module !== undefined && functions.predicates.length + functions.priorities.length > 0) {
    const args = { module: module.file, registered: { ...functions, hardPodAffinitySymmetricWeight: hard ?? 1 } }
    if (functions.predicates.length > 0) draft.filter({ plugin: module.name, args })
    if (functions.priorities.length > 0) draft.score({ plugin: module.name, args }, 1)
  }
  if (policy.alwaysCheckAllPredicates === true) checkAll(draft)
  return draft.profile()
}

/** A policy with a spreading priority of its own for services and controllers needs no default spreading. */
const spreadsOtherwise = (priorities: readonly PolicyPriority[]) =>
  priorities.some((p) => p.name === 'SelectorSpreadPriority' || p.name === 'ServiceSpreadingPriority')

const isFunction = ({ name, argument }: PolicyPredicate, module: RegisteredModule | undefined) =>
  argument === undefined && module?.predicates[name] === null

function successorsOfPredicate(predicate: PolicyPredicate, module: RegisteredModule | undefined): readonly Successor[] {
  const { name } = predicate
  const argument = predicate.argument ?? module?.predicates[name]?.argument
  if (argument !== undefined) return [{ plugin: ownName('predicates', name), args: argument as JsonObject }]
  const known = Object.hasOwn(PREDICATES, name) ? PREDICATES[name] : undefined
  if (known === undefined) throw unknownName('predicate', name, [...Object.keys(PREDICATES), ...Object.keys(module?.predicates ?? {})])
  return known
}

function successorsOfPriority({ name, argument }: PolicyPriority, module: RegisteredModule | undefined): readonly Successor[] {
  if (argument?.requestedToCapacityRatioArguments !== undefined) {
    const { shape, resources = null } = argument.requestedToCapacityRatioArguments as { shape: Json; resources?: Json }
    const scoringStrategy = { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape }, ...(resources && { resources }) }
    return [{ plugin: 'NodeResourcesFit', args: { scoringStrategy } }]
  }
  if (argument !== undefined) return [{ plugin: ownName('priorities', name), args: argument }]
  const known = Object.hasOwn(PRIORITIES, name) ? PRIORITIES[name] : undefined
  if (known === undefined) throw unknownName('priority', name, [...Object.keys(PRIORITIES), ...Object.keys(module?.priorities ?? {})])
  return known
}

/** NodeResourcesFit has one strategy: another priority of its kind is a plugin under its own name. */
function distinct(successor: Successor, { name }: PolicyPriority, draft: Draft): Successor {
  if (successor.plugin !== 'NodeResourcesFit' || !draft.scores.has('NodeResourcesFit')) return successor
  return { plugin: name, args: { resourceStrategy: successor.args?.scoringStrategy ?? {} } }
}

/** The name of something that its argument describes; it must not hide a plugin. */
function ownName(list: string, name: string): string {
  if (DEFAULT_PLUGINS.some((p) => p.name === name))
    throw new ConfigurationError(`policy: ${list}: ${JSON.stringify(name)} is the name of a plugin; give what has an argument another one`)
  return name
}

const unknownName = (what: string, name: string, known: readonly string[]) =>
  new ConfigurationError(`there is no ${what} ${JSON.stringify(name)}; there are ${[...new Set(known)].sort().join(', ')}`)

/** Replaces the filters by one plugin that runs all of them. Filters that also reserve stay. */
function checkAll(draft: Draft): void {
  const all = [...draft.filters].filter(
    (name) => builtinPlugin(name)?.points.every((point) => point !== 'reserve') ?? draft.args.get(name)?.module === undefined,
  )
  for (const name of all) draft.filters.delete(name)
  draft.filter({
    plugin: 'AllPredicates',
    args: { allPredicates: { plugins: inOrder(all).map((name) => ({ name, args: draft.args.get(name) ?? {} })) } },
  })
  for (const name of all) if (!draft.scores.has(name)) draft.args.delete(name)
}

function profileOfAlgorithm(name: string, module: RegisteredModule): JsonObject {
  const plugin = module.name
  const enabled = ['SchedulingGates', 'PrioritySort', 'DefaultBinder'].map((n) => ({ name: n }))
  return {
    plugins: { multiPoint: { disabled: [{ name: '*' }], enabled }, filter: { enabled: [{ name: plugin }] } },
    pluginConfig: [{ name: plugin, args: { module: module.file, registered: { algorithm: name } } }],
  }
}

function extendersOf({ extenders }: Policy): { extenders?: Json } {
  return extenders === undefined ? {} : { extenders: extenders.map(extenderOf) }
}

function extenderOf({ enableHttps, httpTimeout, ...same }: PolicyExtender): JsonObject {
  return {
    ...same,
    ...(enableHttps === undefined ? {} : { enableHTTPS: enableHttps }),
    ...(httpTimeout === undefined ? {} : { httpTimeout: showGoDuration(httpTimeout / 1e6) }),
  }
}
