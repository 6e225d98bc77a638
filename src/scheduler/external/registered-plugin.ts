import type { Pod } from '../../resources/types/core.ts'
import type { Fit, FitPredicate, HostPriority, Registrations } from '../../sdk/scheduler-plugin/algorithm-registry.ts'
import type { PluginNode, PluginTools, SchedulerPlugin, Verdict } from '../../sdk/scheduler-plugin/scheduler-plugin.ts'

/** The registrations of a module that are used. */
export interface Registered {
  readonly predicates?: readonly string[]
  readonly priorities?: readonly { readonly name: string; readonly weight: number }[]
  readonly hardPodAffinitySymmetricWeight?: number
  /** Replaces all of these. */
  readonly algorithm?: string
}

/** A plugin that may be called for all nodes at once. */
export interface WorkerPlugin extends SchedulerPlugin {
  filterNodes?(pod: Pod, nodes: readonly PluginNode[], tools: PluginTools): Promise<[string, Verdict][]>
  scoreNodes?(pod: Pod, nodes: readonly PluginNode[], tools: PluginTools): Promise<[string, number][]>
}

/** Once scores went to 10, now they go to 100. */
const SCALE = 10

/** What a module has registered, as one plugin of the framework. */
export function registeredPlugin(from: Registrations, chosen: Registered): WorkerPlugin {
  if (chosen.algorithm !== undefined) return algorithmPlugin(from, chosen.algorithm)
  const predicates = (chosen.predicates ?? []).map((name) => predicateOf(from, name))
  const hardPodAffinitySymmetricWeight = chosen.hardPodAffinitySymmetricWeight ?? 1
  const priorities = (chosen.priorities ?? []).map(({ name, weight }) => {
    const factory = from.priorities.get(name)
    if (factory === undefined) throw gone('priority', name)
    return { ...factory.mapReduceFunction({ hardPodAffinitySymmetricWeight }), weight }
  })
  return {
    async filter(pod, node) {
      for (const predicate of predicates) {
        const why = refusal(await predicate(pod, node))
        if (why !== undefined) return why
      }
      return undefined
    },
    async scoreNodes(pod, nodes) {
      const totals = new Map(nodes.map(({ name }) => [name, 0]))
      for (const { map, reduce, weight } of priorities) {
        const result: HostPriority[] = []
        for (const node of nodes) result.push({ host: node.name, score: Number(await map(pod, node)) })
        await reduce?.(pod, result)
        for (const { host, score } of result) totals.set(host, (totals.get(host) ?? 0) + weight * SCALE * score)
      }
      return [...totals]
    },
  }
}

/** The node that the algorithm chose is the only one that fits. */
function algorithmPlugin(from: Registrations, name: string): WorkerPlugin {
  const algorithm = from.algorithms.get(name)
  if (algorithm === undefined) throw gone('schedule algorithm', name)
  return {
    async filterNodes(pod, nodes) {
      try {
        const host = await algorithm.schedule(pod, nodes)
        if (!nodes.some((node) => node.name === host))
          throw new Error(`it chose ${JSON.stringify(host)}, which is no node that it was given`)
        return nodes.filter((node) => node.name !== host).map((node) => [node.name, 'node(s) were not chosen'])
      } catch (error) {
        const failed = failedPredicates(error)
        if (failed === undefined) throw error
        return nodes.map((node) => [node.name, failed[node.name]?.join(', ') || 'node(s) were not chosen'])
      }
    },
  }
}

/** A `FitError` by its shape: the module's may come from another copy of the package. */
function failedPredicates(error: unknown): Readonly<Record<string, readonly string[]>> | undefined {
  if (!(error instanceof Error) || !('failedPredicates' in error)) return undefined
  return error.failedPredicates as Readonly<Record<string, readonly string[]>>
}

function predicateOf(from: Registrations, name: string): FitPredicate {
  const predicate = from.predicates.get(name)
  if (typeof predicate !== 'function') throw gone('predicate', name)
  return predicate
}

function refusal(fit: Fit): string | undefined {
  if (typeof fit === 'boolean') return fit ? undefined : 'node(s) were turned down by a predicate'
  const [fits, reasons = []] = fit
  return fits ? undefined : reasons.join(', ') || 'node(s) were turned down by a predicate'
}

const gone = (what: string, name: string) => new Error(`its module no longer registers the ${what} ${JSON.stringify(name)}`)
