import { ignoredResources } from '../extender/extender.ts'
import type { ExtenderConfiguration } from '../extender/extender-configuration.ts'
import type { Guest } from '../framework/guest.ts'
import type { Plugin, PluginFactory } from '../framework/plugin.ts'
import type { ProfilePlugins } from '../framework/profile.ts'
import { DEFAULT_PLUGINS, PLUGINS } from '../plugins/registry.ts'

interface PluginRef {
  readonly name: string
  readonly weight?: number
}

interface PluginSet {
  readonly enabled?: readonly PluginRef[]
  readonly disabled?: readonly PluginRef[]
}

type Point = 'preEnqueue' | 'queueSort' | 'filter' | 'postFilter' | 'score' | 'reserve' | 'permit' | 'preBind' | 'bind' | 'postBind'

/** `kubescheduler.config.k8s.io/v1 KubeSchedulerConfiguration`, as far as it is read here. */
export interface SchedulerConfiguration {
  readonly apiVersion?: string
  readonly kind?: string
  readonly profiles?: readonly {
    readonly schedulerName?: string
    readonly percentageOfNodesToScore?: number
    readonly plugins?: Readonly<Partial<Record<string, PluginSet>>>
    readonly pluginConfig?: readonly { readonly name: string; readonly args?: Readonly<Record<string, unknown>> }[]
  }[]
  /** Read and not followed: all nodes are always looked at. */
  readonly percentageOfNodesToScore?: number
  readonly podInitialBackoffSeconds?: number
  readonly podMaxBackoffSeconds?: number
  readonly extenders?: readonly ExtenderConfiguration[]
}

export type ConfigurationErrorCode = 'unknown-plugin' | 'duplicate-profile' | 'wrong-kind'

/** A configuration that the scheduler cannot run with. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly code: ConfigurationErrorCode
  constructor(code: ConfigurationErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export interface ProfileDeps {
  readonly random: { int(below: number): number }
  readonly plugins?: Readonly<Record<string, PluginFactory>>
  /** Asked in every profile, after the plugins. */
  readonly extenders?: readonly Guest[]
}

/** The profiles that a configuration describes, made of plugins; the default one when it names none. */
export function profilesOf(configuration: SchedulerConfiguration, deps: ProfileDeps): readonly ProfilePlugins[] {
  if (configuration.kind !== undefined && configuration.kind !== 'KubeSchedulerConfiguration') {
    throw new ConfigurationError(
      'wrong-kind',
      `the scheduler's configuration is a ${configuration.kind}: give a KubeSchedulerConfiguration`,
    )
  }
  const known = { ...PLUGINS, ...deps.plugins }
  const given = configuration.profiles ?? []
  const profiles = (given.length === 0 ? [{}] : given).map((p) =>
    profileOf(p, known, deps, ignoredResources(configuration.extenders ?? [])),
  )
  const names = profiles.map((p) => p.schedulerName)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined)
    throw new ConfigurationError('duplicate-profile', `two profiles have the scheduler name ${twice}: names must differ`)
  return profiles
}

type ProfileConfiguration = NonNullable<SchedulerConfiguration['profiles']>[number]

function profileOf(
  profile: ProfileConfiguration,
  known: Readonly<Record<string, PluginFactory>>,
  { random, extenders = [] }: ProfileDeps,
  ignored: readonly string[],
): ProfilePlugins {
  const args = new Map((profile.pluginConfig ?? []).map((c) => [c.name, c.args ?? {}]))
  // What extenders manage alone takes the place of what the plugin was told to ignore.
  if (ignored.length > 0) args.set('NodeResourcesFit', { ...args.get('NodeResourcesFit'), ignoredResources: ignored })
  const made = new Map<string, Plugin>()
  const plugin = (name: string): Plugin | undefined => {
    let found = made.get(name)
    if (found !== undefined) return found
    const factory = Object.hasOwn(known, name) ? known[name] : undefined
    if (factory === undefined) {
      if (DEFAULT_PLUGINS.some((p) => p.name === name)) return undefined
      throw new ConfigurationError(
        'unknown-plugin',
        `profile ${profile.schedulerName ?? 'default-scheduler'} enables plugin ${name}, which does not exist: check the name`,
      )
    }
    found = factory(args.get(name) ?? {}, { random })
    made.set(name, found)
    return found
  }
  const everywhere = merged(DEFAULT_PLUGINS, profile.plugins?.multiPoint)
  const at = (point: Point, has: (p: Plugin) => boolean) =>
    atPoint(everywhere, profile.plugins?.[point]).flatMap(({ name, weight }) => {
      const found = plugin(name)
      return found !== undefined && has(found) ? [{ plugin: found, weight: weight || 1 }] : []
    })
  const only = (point: Exclude<Point, 'score'>) => at(point, (p) => p[point] !== undefined).map((p) => p.plugin)
  const points = {
    preEnqueue: only('preEnqueue'),
    queueSort: only('queueSort'),
    filter: only('filter'),
    postFilter: only('postFilter'),
    score: at('score', (p) => p.score !== undefined),
    reserve: only('reserve'),
    permit: only('permit'),
    preBind: only('preBind'),
    bind: only('bind'),
    postBind: only('postBind'),
  }
  const asking = [...at('filter', (p) => p.guest?.filter !== undefined), ...at('score', (p) => p.guest?.score !== undefined)]
  const guests = new Set(asking.flatMap((p) => p.plugin.guest ?? []))
  return { schedulerName: profile.schedulerName ?? 'default-scheduler', ...points, guests: [...guests, ...extenders], all: made }
}

/** The defaults without what is disabled; what is enabled replaces its default's weight in place, or comes last. */
function merged(defaults: readonly PluginRef[], set: PluginSet | undefined): readonly PluginRef[] {
  const disabled = new Set((set?.disabled ?? []).map((p) => p.name))
  const enabled = new Map((set?.enabled ?? []).map((p) => [p.name, p]))
  const kept = disabled.has('*') ? [] : defaults.filter((p) => !disabled.has(p.name))
  const replaced = kept.map((p) => enabled.get(p.name) ?? p)
  return [...replaced, ...[...enabled.values()].filter((p) => !kept.some((k) => k.name === p.name))]
}

/** At one extension point: those named there that are enabled everywhere come first, then the rest of those, then those named only there. */
function atPoint(everywhere: readonly PluginRef[], set: PluginSet | undefined): readonly PluginRef[] {
  if (set === undefined) return everywhere
  const disabled = new Set((set.disabled ?? []).map((p) => p.name))
  const enabled = set.enabled ?? []
  const isEnabled = (name: string) => enabled.some((p) => p.name === name)
  const rest = disabled.has('*') ? [] : everywhere.filter((p) => !disabled.has(p.name) && !isEnabled(p.name))
  const overriding = enabled.filter((p) => everywhere.some((e) => e.name === p.name))
  return [...overriding, ...rest, ...enabled.filter((p) => !overriding.includes(p))]
}
