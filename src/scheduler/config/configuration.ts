import { faultText } from '../../machinery/field-error.ts'
import type { Json, JsonObject } from '../../machinery/object.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ExtenderConfiguration } from '../extender/extender-configuration.ts'
import { POINTS, type Point, pluginTypeOf } from '../framework/extension-points.ts'
import type { ExternalPlugin } from '../framework/external-plugin.ts'
import type { Plugin, PluginFactory } from '../framework/plugin.ts'
import type { ProfilePlugins } from '../framework/profile.ts'
import { legacyPlugin } from '../plugins/legacy/legacy-plugins.ts'
import { builtinPlugin } from '../plugins/registry.ts'
import { type CompleteConfiguration, type CompleteProfile, completeConfiguration } from './complete.ts'
import { ConfigurationError } from './configuration-error.ts'
import { decodeConfiguration, decodeConfigurationObject } from './decode.ts'
import { validateConfiguration } from './validate.ts'
import { validateFitArgs } from './validate-fit-args.ts'

interface PluginSetInput {
  readonly enabled?: readonly { readonly name: string; readonly weight?: number }[]
  readonly disabled?: readonly { readonly name: string }[]
}

/** `kubescheduler.config.k8s.io/v1 KubeSchedulerConfiguration`, as authors write it: everything may be left out. */
export interface SchedulerConfiguration {
  readonly apiVersion?: string
  readonly kind?: string
  readonly profiles?: readonly {
    readonly schedulerName?: string
    readonly percentageOfNodesToScore?: number
    readonly plugins?: Readonly<Partial<Record<string, PluginSetInput>>>
    readonly pluginConfig?: readonly { readonly name: string; readonly args?: Readonly<Record<string, unknown>> }[]
  }[]
  /**
   * Stop filtering when this percentage of the nodes fits, but not before 100 do. Default 0: all nodes are filtered (upstream: fewer, the
   * larger the cluster).
   */
  readonly percentageOfNodesToScore?: number
  readonly podInitialBackoffSeconds?: number
  readonly podMaxBackoffSeconds?: number
  readonly extenders?: readonly ExtenderConfiguration[]
}

/**
 * Reads a configuration strictly, as upstream does, and fills its defaults.
 * @param source the text of a file, or an object, which may lack its apiVersion and kind
 * @param gates the feature gates that are on and off by default
 * @throws {ConfigurationError} in upstream's words
 */
export function readConfiguration(
  source: string | SchedulerConfiguration | CompleteConfiguration,
  gates?: ReadonlySet<string>,
): CompleteConfiguration {
  if (isComplete(source)) return source
  const written = typeof source === 'string' ? decodeConfiguration(source) : decodeConfigurationObject(source as Readonly<JsonObject>)
  const configuration = completeConfiguration(written, gates)
  const faults = validateConfiguration(configuration)
  if (faults.length > 0) throw new ConfigurationError(aggregate(faults.map(faultText)))
  return configuration
}

const isComplete = (source: string | SchedulerConfiguration | CompleteConfiguration): source is CompleteConfiguration =>
  typeof source === 'object' && 'clientConnection' in source && 'parallelism' in source && 'enableContentionProfiling' in source

/** Go's aggregate of errors: each once, in brackets when there are several. */
function aggregate(messages: readonly string[]): string {
  const distinct = [...new Set(messages)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}

export interface ProfileDeps {
  readonly random: { int(below: number): number; uuid(): string }
  readonly plugins?: Readonly<Record<string, PluginFactory>>
  readonly client?: Client
  /** Called in every profile, after the plugins. */
  readonly extenders?: readonly ExternalPlugin[]
}

/** The profiles of a configuration: their plugins, and the plugins at each extension point. */
export function profilesOf(source: SchedulerConfiguration | CompleteConfiguration, deps: ProfileDeps): readonly ProfilePlugins[] {
  const configuration = readConfiguration(source)
  const profiles = configuration.profiles.map((profile) =>
    madeProfile({ ...profile, percentageOfNodesToScore: profile.percentageOfNodesToScore ?? configuration.percentageOfNodesToScore }, deps),
  )
  const [first, ...others] = configuration.profiles
  const sortArgs = (profile: CompleteProfile | undefined) => {
    const name = profile?.plugins.queueSort.enabled[0]?.name ?? 'PrioritySort'
    return JSON.stringify(profile?.pluginConfig.find((c) => c.name === name)?.args)
  }
  const different = others.find((profile) => sortArgs(profile) !== sortArgs(first))
  if (different !== undefined)
    throw new ConfigurationError(`initializing profiles: different queue sort plugin args for profile "${different.schedulerName}"`)
  return profiles
}

/** One plugin at one point. */
export interface PluginAt {
  readonly name: string
  readonly plugin: Plugin
  readonly weight: number
}

function madeProfile(profile: CompleteProfile, deps: ProfileDeps): ProfilePlugins {
  try {
    return profileOf(profile, deps)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new ConfigurationError(`initializing profiles: creating profile for scheduler name ${profile.schedulerName}: ${error.message}`)
  }
}

function profileOf(profile: CompleteProfile, deps: ProfileDeps): ProfilePlugins {
  const { schedulerName } = profile
  const made = makePlugins(profile, deps)
  const own = new Map(POINTS.map((point) => [point, pluginsNamedAt(profile, point, made)]))
  const at = Object.fromEntries(POINTS.map((point) => [point, expanded(profile, point, own.get(point) ?? [], made)])) as Record<
    Point,
    readonly PluginAt[]
  >
  if (at.queueSort.length !== 1) {
    throw new ConfigurationError(
      `only one queue sort plugin required for profile with scheduler name "${schedulerName}", but got ${at.queueSort.length}`,
    )
  }
  if (at.bind.length === 0)
    throw new ConfigurationError(`at least one bind plugin is needed for profile with scheduler name "${schedulerName}"`)
  const only = (point: Point, has: keyof Plugin) => at[point].filter(({ plugin }) => plugin[has] !== undefined).map(({ plugin }) => plugin)
  return {
    schedulerName,
    percentageOfNodes: profile.percentageOfNodesToScore ?? 0,
    preEnqueue: only('preEnqueue', 'preEnqueue'),
    queueSort: only('queueSort', 'queueSort'),
    filter: only('filter', 'filter'),
    postFilter: only('postFilter', 'postFilter'),
    score: at.score.filter(({ plugin }) => plugin.score !== undefined),
    reserve: only('reserve', 'reserve'),
    permit: only('permit', 'permit'),
    preBind: only('preBind', 'preBind'),
    bind: only('bind', 'bind'),
    postBind: only('postBind', 'postBind'),
    external: [...externalAt(at.filter, at.score, at.bind), ...(deps.extenders ?? [])],
    all: made,
    at,
  }
}

/** The external plugins, each with the points at which it is enabled; its scores are multiplied by its weight. */
function externalAt(filters: readonly PluginAt[], scores: readonly PluginAt[], binds: readonly PluginAt[]): readonly ExternalPlugin[] {
  const enabled: ExternalPlugin[] = []
  const weights = new Map(scores.map(({ plugin, weight }) => [plugin, weight]))
  for (const plugin of new Set([...filters, ...scores, ...binds].map((p) => p.plugin))) {
    const { external } = plugin
    const weight = weights.get(plugin)
    if (external === undefined) continue
    const { filter, victims, score, bind, ...rest } = external
    const filtering = filters.some((p) => p.plugin === plugin)
    enabled.push({
      ...rest,
      ...(filter === undefined || !filtering ? {} : { filter }),
      ...(victims === undefined || !filtering ? {} : { victims }),
      ...(bind === undefined || !binds.some((p) => p.plugin === plugin) ? {} : { bind }),
      ...(score === undefined || weight === undefined ? {} : { score: weighted(score, weight) }),
    })
  }
  return enabled
}

const weighted =
  (score: NonNullable<ExternalPlugin['score']>, weight: number): NonNullable<ExternalPlugin['score']> =>
  async (pod, nodes) => {
    const { byNode } = await score(pod, nodes)
    return { byNode: new Map([...byNode].map(([node, points]) => [node, points * weight])) }
  }

/** The enabled plugins, with their arguments. */
function makePlugins({ plugins, pluginConfig }: CompleteProfile, deps: ProfileDeps): ReadonlyMap<string, Plugin> {
  const known = deps.plugins ?? {}
  const args = new Map(pluginConfig.map((c) => [c.name, c.args]))
  const needed = new Set(Object.values(plugins).flatMap((set) => set.enabled.map((p) => p.name)))
  const made = new Map<string, Plugin>()
  for (const name of needed) {
    const own = (args.get(name) ?? {}) as Json
    if (name === 'NodeResourcesFit') {
      const faults = validateFitArgs(own)
      if (faults.length > 0) throw new ConfigurationError(`initializing plugin "${name}": ${aggregate(faults.map(faultText))}`)
    }
    const factory = Object.hasOwn(known, name) ? known[name] : (builtinPlugin(name)?.create ?? legacyPlugin(name, own))
    if (factory !== undefined)
      made.set(
        name,
        factory((own ?? {}) as Readonly<Record<string, unknown>>, {
          scheduler: deps,
          random: deps.random,
          ...(deps.client === undefined ? {} : { client: deps.client }),
        }),
      )
  }
  return made
}

/** Whether a plugin implements an extension point. */
function extendsPoint(plugin: Plugin, point: Point): boolean {
  const listed = builtinPlugin(plugin.name)?.points
  if (listed !== undefined) return listed.includes(point)
  if (point === 'preFilter') return plugin.filter !== undefined
  if (point === 'preScore') return plugin.score !== undefined
  if (point === 'filter') return plugin.filter !== undefined || plugin.external?.filter !== undefined
  if (point === 'score') return plugin.score !== undefined || plugin.external?.score !== undefined
  if (point === 'bind') return plugin.bind !== undefined || plugin.external?.bind !== undefined
  if (point === 'placementGenerate' || point === 'placementScore') return false
  return plugin[point] !== undefined
}

/** The plugins that a profile enables at a point by name. */
function pluginsNamedAt(profile: CompleteProfile, point: Point, made: ReadonlyMap<string, Plugin>): readonly PluginAt[] {
  const type = pluginTypeOf(point)
  const seen = new Set<string>()
  return profile.plugins[point].enabled.map(({ name, weight }) => {
    const plugin = made.get(name)
    if (plugin === undefined) throw new ConfigurationError(`${type} "${name}" does not exist`)
    if (!extendsPoint(plugin, point)) throw new ConfigurationError(`plugin "${name}" does not extend ${type} plugin`)
    if (seen.has(name)) throw new ConfigurationError(`plugin "${name}" already registered as "${type}"`)
    seen.add(name)
    return { name, plugin, weight: weight || 1 }
  })
}

/**
 * The plugins of a point in upstream's order: first those named at the point that `multiPoint` enables too, then the rest of `multiPoint`,
 * then those named only at the point.
 */
function expanded(
  profile: CompleteProfile,
  point: Point,
  own: readonly PluginAt[],
  made: ReadonlyMap<string, Plugin>,
): readonly PluginAt[] {
  const type = pluginTypeOf(point)
  const { multiPoint } = profile.plugins
  const disabled = new Set(profile.plugins[point].disabled.map((p) => p.name))
  if (disabled.has('*')) return own
  const named = new Set(own.map((p) => p.name))
  const overriding = new Set<string>()
  const rest = new Map<string, PluginAt>()
  for (const { name, weight } of multiPoint.enabled) {
    const plugin = made.get(name)
    if (plugin === undefined) throw new ConfigurationError(`${type} "${name}" does not exist`)
    if (!extendsPoint(plugin, point) || disabled.has(name) || (point === 'queueSort' && plugin.sortsWhenNamed)) continue
    if (named.has(name)) overriding.add(name)
    else if (rest.has(name)) throw new ConfigurationError(`plugin "${name}" already registered as "${type}"`)
    else rest.set(name, { name, plugin, weight: weight || 1 })
  }
  return [...own.filter((p) => overriding.has(p.name)), ...rest.values(), ...own.filter((p) => !overriding.has(p.name))]
}
