import type { PodInfo } from '../cache/pod-info.ts'
import { decide } from './decide.ts'
import type { Decision } from './decision.ts'
import type { Plugin, PluginContext } from './plugin.ts'
import { ShapeCache, ShapeEntry, type WeightedPlugin } from './shape-cache.ts'
import { VerdictBook } from './verdict.ts'

/** The plugins of one scheduler name, by extension point, in order. */
export interface ProfilePlugins {
  readonly schedulerName: string
  readonly preEnqueue: readonly Plugin[]
  readonly filter: readonly Plugin[]
  readonly postFilter: readonly Plugin[]
  readonly score: readonly WeightedPlugin[]
  readonly preBind: readonly Plugin[]
  /** Every plugin that takes part anywhere, by name. */
  readonly all: ReadonlyMap<string, Plugin>
}

export interface DecideOptions {
  readonly random: { int(below: number): number }
  /** Pods that are to come to a node once their victims have gone; they count there for pods that are not more important. */
  readonly nominatedOn: (row: number, pod: PodInfo) => readonly PodInfo[]
  readonly hasNominations: () => boolean
  /** Keep every node's score by plugin. Costs a pass over all nodes for each pod. */
  readonly keepScores: boolean
}

const MAX_VERDICTS = 20_000

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

  constructor(plugins: ProfilePlugins, context: PluginContext) {
    this.plugins = plugins
    this.context = context
    const firstOther = plugins.filter.findIndex((p) => p.scope === 'cluster')
    this.localFilters = firstOther === -1 ? plugins.filter : plugins.filter.slice(0, firstOther)
    this.otherFilters = firstOther === -1 ? [] : plugins.filter.slice(firstOther)
    this.localScores = plugins.score.filter((s) => s.plugin.scope === 'node')
    this.otherScores = plugins.score.filter((s) => s.plugin.scope === 'cluster')
    this.#epochPlugins = [...this.localFilters, ...this.localScores.map((s) => s.plugin)].filter((p) => p.epoch !== undefined)
    this.#shapes = new ShapeCache((pod, epochs) => new ShapeEntry(pod, this.localFilters, this.localScores, context, this.book, epochs))
  }

  /** What the node-local plugins say of the pod's shape, up to date. */
  shape(pod: PodInfo): ShapeEntry {
    if (this.book.size > MAX_VERDICTS) {
      this.book.clear()
      this.#shapes.clear()
    }
    const entry = this.#shapes.get(pod, this.context.table.layout, this.#epochPlugins.map((p) => p.epoch?.(this.context)).join())
    entry.refresh()
    return entry
  }

  decide(pod: PodInfo, options: DecideOptions): Decision {
    return decide(this, pod, options)
  }
}
