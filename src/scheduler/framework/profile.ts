import type { Steps } from '../../base/steps.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { ExternalPlugin } from './external-plugin.ts'
import { feasibleRows } from './feasible-rows.ts'
import type { Plugin } from './plugin.ts'
import type { PluginContext } from './prepared.ts'
import { ShapeCache, ShapeEntry, type WeightedPlugin } from './shape-cache.ts'
import { VerdictBook } from './verdict.ts'

/** The plugins of one scheduler name, by extension point, in order. */
export interface ProfilePlugins {
  readonly schedulerName: string
  /** `percentageOfNodesToScore` as it was given; 0: all nodes are looked at. */
  readonly percentageOfNodes: number
  readonly preEnqueue: readonly Plugin[]
  readonly queueSort: readonly Plugin[]
  readonly filter: readonly Plugin[]
  readonly postFilter: readonly Plugin[]
  readonly score: readonly WeightedPlugin[]
  readonly reserve: readonly Plugin[]
  readonly permit: readonly Plugin[]
  readonly preBind: readonly Plugin[]
  readonly bind: readonly Plugin[]
  readonly postBind: readonly Plugin[]
  /** Called after the synchronous filters, in order: module plugins, then extenders. */
  readonly external: readonly ExternalPlugin[]
  /** Every enabled plugin, by name. */
  readonly all: ReadonlyMap<string, Plugin>
  /** The plugins at each extension point, by its name in a configuration: the source of the fields above. */
  readonly at: Readonly<Record<string, readonly { readonly name: string; readonly weight: number }[]>>
}

const MAX_VERDICTS = 20_000
const NO_EXTERNAL: readonly ExternalPlugin[] = []

/** One scheduler name made ready: its plugins and what they have worked out so far. */
export class Profile {
  readonly plugins: ProfilePlugins
  readonly context: PluginContext
  readonly book = new VerdictBook()
  /** The filters up to the first that looks beyond the node; their verdicts are kept by shape. */
  readonly localFilters: readonly Plugin[]
  readonly otherFilters: readonly Plugin[]
  readonly localScores: readonly WeightedPlugin[]
  readonly otherScores: readonly WeightedPlugin[]
  readonly #shapes: ShapeCache
  readonly #epochPlugins: readonly Plugin[]
  readonly #preparing: readonly Plugin[]

  constructor(plugins: ProfilePlugins, context: PluginContext) {
    this.plugins = plugins
    this.context = context
    const firstOther = plugins.filter.findIndex((p) => p.scope === 'cluster')
    this.localFilters = firstOther === -1 ? plugins.filter : plugins.filter.slice(0, firstOther)
    this.otherFilters = firstOther === -1 ? [] : plugins.filter.slice(firstOther)
    this.localScores = plugins.score.filter((s) => s.plugin.scope === 'node')
    this.otherScores = plugins.score.filter((s) => s.plugin.scope === 'cluster')
    this.#epochPlugins = [...this.localFilters, ...this.localScores.map((s) => s.plugin)].filter((p) => p.epoch !== undefined)
    this.#preparing = plugins.filter.filter((p) => p.prepare !== undefined)
    this.#shapes = new ShapeCache((pod, epochs) => new ShapeEntry(pod, this.localFilters, this.localScores, context, this.book, epochs))
  }

  /** The external plugins that are interested in the pod. */
  externalFor(pod: PodInfo): readonly ExternalPlugin[] {
    return this.plugins.external.length === 0 ? NO_EXTERNAL : this.plugins.external.filter((plugin) => plugin.interestedIn(pod))
  }

  /** The preparation of filters for the pod; most often none. */
  preparation(pod: PodInfo): Steps<void> | undefined {
    const { context } = this
    const rows = () => {
      const { refusal, verdicts } = this.shape(pod)
      return refusal === undefined ? feasibleRows(verdicts, context.table.rows) : []
    }
    let all: Steps<void>[] | undefined
    for (const plugin of this.#preparing) {
      const steps = plugin.prepare?.(pod, context, rows)
      if (steps !== undefined) all = [...(all ?? []), steps]
    }
    return all === undefined ? undefined : oneAfterTheOther(all)
  }

  /** The current results of the node-local plugins for the pod's shape. */
  shape(pod: PodInfo): ShapeEntry {
    if (this.book.size > MAX_VERDICTS) {
      this.book.clear()
      this.#shapes.clear()
    }
    const entry = this.#shapes.get(pod, this.context.table.layout, this.#epochPlugins.map((p) => p.epoch?.(this.context)).join())
    entry.refresh()
    return entry
  }
}

function* oneAfterTheOther(all: readonly Steps<void>[]): Steps<void> {
  for (const steps of all) yield* steps
}
