import { parseGoDuration, showGoDuration } from '../../machinery/go/go-duration.ts'
import type { Json, JsonObject } from '../../machinery/object.ts'
import { ignoredResources } from '../extender/extender.ts'
import type { ExtenderConfiguration } from '../extender/extender-configuration.ts'
import { POINTS, type Point } from '../framework/extension-points.ts'
import { defaultPlugins } from '../plugins/registry.ts'
import { ARGS, GROUP_VERSION, KIND } from './schema.ts'

export interface PluginRef {
  readonly name: string
  readonly weight: number
}

export interface PluginSet {
  readonly enabled: readonly PluginRef[]
  readonly disabled: readonly { readonly name: string; readonly weight: number }[]
}

export interface CompleteProfile {
  readonly schedulerName: string
  readonly percentageOfNodesToScore: number | undefined
  readonly plugins: Readonly<Record<Point | 'multiPoint', PluginSet>>
  /** In order. Validation reports a plugin that is listed twice. */
  readonly pluginConfig: readonly { readonly name: string; readonly args: Json }[]
}

/** A KubeSchedulerConfiguration with all defaults filled in. */
export interface CompleteConfiguration {
  readonly parallelism: number
  readonly leaderElection: {
    readonly leaderElect: boolean
    readonly leaseDuration: string
    readonly renewDeadline: string
    readonly retryPeriod: string
    readonly resourceLock: string
    readonly resourceName: string
    readonly resourceNamespace: string
  }
  readonly clientConnection: {
    readonly kubeconfig: string
    readonly acceptContentTypes: string
    readonly contentType: string
    readonly qps: number
    readonly burst: number
  }
  readonly enableProfiling: boolean
  readonly enableContentionProfiling: boolean
  readonly percentageOfNodesToScore: number
  readonly podInitialBackoffSeconds: number
  readonly podMaxBackoffSeconds: number
  readonly profiles: readonly CompleteProfile[]
  readonly extenders: readonly ExtenderConfiguration[]
}

/** A configuration as written, of the right types: what `decodeConfiguration` gives. */
export type WrittenConfiguration = Readonly<JsonObject>

interface WrittenSet {
  enabled?: { name?: string; weight?: number }[]
  disabled?: { name?: string; weight?: number }[]
}

interface WrittenProfile {
  schedulerName?: string
  percentageOfNodesToScore?: number
  plugins?: Record<string, WrittenSet>
  pluginConfig?: { name?: string; args?: Json }[]
}

interface Written {
  parallelism?: number
  leaderElection?: Partial<CompleteConfiguration['leaderElection']>
  clientConnection?: Partial<CompleteConfiguration['clientConnection']>
  enableProfiling?: boolean
  enableContentionProfiling?: boolean
  percentageOfNodesToScore?: number
  podInitialBackoffSeconds?: number
  podMaxBackoffSeconds?: number
  profiles?: WrittenProfile[]
  extenders?: ExtenderConfiguration[]
}

/** Sets the defaults of Kubernetes 1.36 with these feature gates. */
export function completeConfiguration(configuration: WrittenConfiguration, gates: ReadonlySet<string> = new Set()): CompleteConfiguration {
  const written = configuration as Written
  const { leaderElection: election = {}, clientConnection: connection = {} } = written
  const extenders = (written.extenders ?? []).map((e) => ({ ...e, httpTimeout: durationOr(e.httpTimeout, '5s') }))
  const profiles = written.profiles === undefined || written.profiles.length === 0 ? [{}] : written.profiles
  const enableProfiling = written.enableProfiling ?? true
  return {
    parallelism: written.parallelism ?? 16,
    leaderElection: {
      leaderElect: election.leaderElect ?? true,
      leaseDuration: durationOr(election.leaseDuration, '15s'),
      renewDeadline: durationOr(election.renewDeadline, '10s'),
      retryPeriod: durationOr(election.retryPeriod, '2s'),
      resourceLock: election.resourceLock || 'leases',
      resourceName: election.resourceName || 'kube-scheduler',
      resourceNamespace: election.resourceNamespace || 'kube-system',
    },
    clientConnection: {
      kubeconfig: connection.kubeconfig ?? '',
      acceptContentTypes: connection.acceptContentTypes ?? '',
      contentType: connection.contentType || 'application/vnd.kubernetes.protobuf',
      qps: connection.qps || 50,
      burst: connection.burst || 100,
    },
    enableProfiling,
    enableContentionProfiling: enableProfiling && (written.enableContentionProfiling ?? true),
    percentageOfNodesToScore: written.percentageOfNodesToScore ?? 0,
    podInitialBackoffSeconds: written.podInitialBackoffSeconds ?? 1,
    podMaxBackoffSeconds: written.podMaxBackoffSeconds ?? 10,
    profiles: profiles.map((profile) =>
      completeProfile(profile ?? {}, {
        alone: profiles.length === 1,
        ignored: ignoredResources(extenders),
        enabled: defaultPlugins(gates),
      }),
    ),
    extenders,
  }
}

/** Durations of nought are taken for absent ones. */
function durationOr(text: string | undefined, fallback: string): string {
  const ms = parseGoDuration(text ?? '')
  return ms === undefined || ms === 0 ? fallback : showGoDuration(ms)
}

interface ProfileDefaults {
  /** It is the only profile. */
  readonly alone: boolean
  /** The resources that only extenders manage. */
  readonly ignored: readonly string[]
  readonly enabled: readonly PluginRef[]
}

function completeProfile(profile: WrittenProfile, { alone, ignored, enabled }: ProfileDefaults): CompleteProfile {
  const sets = profile.plugins ?? {}
  const of = (point: Point | 'multiPoint') => mergedSet(point === 'multiPoint' ? enabled : [], sets[point] ?? {})
  const plugins = Object.fromEntries([...POINTS, 'multiPoint' as const].map((point) => [point, of(point)])) as CompleteProfile['plugins']
  const given = (profile.pluginConfig ?? []).map(({ name = '', args }) => ({ name, args: completeArgs(name, args) }))
  const named = new Set(given.map((c) => c.name))
  const needed = new Set(Object.values(plugins).flatMap((set) => set.enabled.map((p) => p.name)))
  const added = [...needed].filter((name) => !named.has(name) && Object.hasOwn(ARGS, name)).sort()
  const pluginConfig = [...given, ...added.map((name) => ({ name, args: completeArgs(name, {}) }))]
  return {
    schedulerName: profile.schedulerName || (alone ? 'default-scheduler' : ''),
    percentageOfNodesToScore: profile.percentageOfNodesToScore,
    plugins,
    // Resources that only extenders manage replace the plugin's own `ignoredResources`.
    pluginConfig: pluginConfig.map((c) =>
      c.name === 'NodeResourcesFit' && ignored.length > 0
        ? { ...c, args: { ...(c.args as JsonObject), ignoredResources: [...ignored] } }
        : c,
    ),
  }
}

/**
 * The default set without disabled plugins. An enabled plugin replaces its default's weight, at its position, or is appended; duplicates
 * are kept for validation.
 */
function mergedSet(defaults: readonly PluginRef[], { enabled = [], disabled = [] }: WrittenSet): PluginSet {
  const off = new Set(disabled.map((p) => p.name))
  const on = enabled.map(({ name = '', weight = 0 }) => ({ name, weight }))
  const last = new Map(on.map((p, i) => [p.name, i]))
  const replaced = new Set<number>()
  const kept = off.has('*') ? [] : defaults.filter((p) => !off.has(p.name))
  const merged = kept.map((p) => {
    const at = last.get(p.name)
    if (at !== undefined) replaced.add(at)
    return at === undefined ? p : (on[at] ?? p)
  })
  return {
    enabled: [...merged, ...on.filter((_, i) => !replaced.has(i))],
    disabled: disabled.map(({ name = '' }) => ({ name, weight: 0 })),
  }
}

const CPU_AND_MEMORY = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
]

type WrittenWeights = { name?: string; weight?: number }[]

const weighted = (resources: WrittenWeights | undefined) =>
  resources === undefined || resources.length === 0
    ? CPU_AND_MEMORY
    : resources.map(({ name = '', weight }) => ({ name, weight: weight || 1 }))

function completeArgs(name: string, args: Json | undefined): Json {
  if (!Object.hasOwn(ARGS, name)) return args ?? null
  const given = (args ?? {}) as JsonObject & { resources?: WrittenWeights; scoringStrategy?: JsonObject & { resources?: WrittenWeights } }
  const meta = { apiVersion: GROUP_VERSION, kind: `${name}Args` }
  switch (name) {
    case 'DefaultPreemption':
      return { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100, ...given, ...meta }
    case 'DynamicResources':
      return { ...given, filterTimeout: shown(given.filterTimeout, '10s'), bindingTimeout: shown(given.bindingTimeout, '10m0s'), ...meta }
    case 'InterPodAffinity':
      return { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false, ...given, ...meta }
    case 'NodeResourcesBalancedAllocation':
      return { ...given, resources: weighted(given.resources), ...meta }
    case 'NodeResourcesFit': {
      const strategy = given.scoringStrategy
      const scoringStrategy =
        strategy === undefined
          ? { type: 'LeastAllocated', resources: CPU_AND_MEMORY }
          : { ...strategy, resources: weighted(strategy.resources) }
      return { ...given, scoringStrategy, ...meta }
    }
    case 'PodTopologySpread':
      return { ...given, defaultingType: given.defaultingType || 'System', ...meta }
    case 'VolumeBinding':
      return { bindTimeoutSeconds: 600, ...given, ...meta }
    default:
      return { ...given, ...meta }
  }
}

/** Here a duration of nought means something. */
const shown = (text: Json | undefined, fallback: string): string =>
  typeof text === 'string' ? showGoDuration(parseGoDuration(text) ?? 0) : fallback

/** The configuration as upstream writes it: `--write-config-to`. */
export function writtenConfiguration(configuration: CompleteConfiguration): JsonObject {
  return { apiVersion: GROUP_VERSION, kind: KIND, ...JSON.parse(JSON.stringify(configuration)) }
}
