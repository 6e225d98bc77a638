import { messageOf } from '../../base/message-of.ts'
import type { Steps } from '../../base/steps.ts'
import type { NodeTable } from '../cache/node-table.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { ListedObjects, ListedResource, Listers } from '../framework/listers.ts'
import type { Plugin } from '../framework/plugin.ts'
import type { PluginContext, PreparedFilter } from '../framework/prepared.ts'
import type { ProfilePlugins } from '../framework/profile.ts'
import { unresolvable, type Verdict } from '../framework/verdict.ts'

export interface ScratchInit {
  readonly pod: PodInfo
  readonly plugins: ProfilePlugins
  /** A copy for this scratch alone. */
  readonly table: NodeTable
  readonly listers: Listers
  /** Pods that a node is promised to, and for which this one leaves room. */
  readonly ahead: (node: string) => readonly PodInfo[]
}

/** Objects by resource. */
type OnTrial = { readonly [R in ListedResource]?: readonly ListedObjects[R][] }

interface Ready {
  readonly plugin: Plugin
  readonly filter: PreparedFilter
}

/** A copy of the cluster to try changes on: whether the pod would fit, and every obstacle. */
export class Scratch {
  readonly pod: PodInfo
  readonly plugins: ProfilePlugins
  readonly context: PluginContext
  /** Objects that exist on trial, by resource. */
  #extra: OnTrial = {}
  readonly #ahead: ScratchInit['ahead']
  /** How often something was added or removed: no version comes twice. */
  #trials = 0
  #ready: readonly Ready[] | undefined

  constructor({ pod, plugins, table, listers, ahead }: ScratchInit) {
    this.pod = pod
    this.plugins = plugins
    this.#ahead = ahead
    const list: Listers['list'] = (resource, namespace) => {
      const more = this.#extra[resource]
      const known = listers.list(resource, namespace)
      return more === undefined ? known : [...known, ...more]
    }
    this.context = { table, listers: { ...listers, list, version: (resource) => listers.version(resource) + this.#trials } }
  }

  get table(): NodeTable {
    return this.context.table
  }

  /** The rows of living nodes. */
  rows(): readonly number[] {
    const { alive, rows } = this.table
    return Array.from({ length: rows }, (_, row) => row).filter((row) => alive[row] === 1)
  }

  /** The preparation of filters before they run for every node. */
  *preparation(): Steps<void> {
    for (const plugin of this.plugins.filter) yield* plugin.prepare?.(this.pod, this.context, () => this.rows()) ?? []
  }

  /** Every plugin that turns a node down, in their order; empty when the pod fits there. */
  obstacles(row: number): readonly Verdict[] {
    const found = this.#obstacles(row)
    const name = this.table.names[row] ?? ''
    const ahead = this.#ahead(name)
    if (found.length > 0 || ahead.length === 0) return found
    for (const other of ahead) this.table.addPod(other, name)
    this.changed()
    try {
      return this.#obstacles(row)
    } finally {
      for (const other of ahead) this.table.removePod(other, name)
      this.changed()
    }
  }

  /** To be called after each change of the table. */
  changed(): void {
    this.#ready = undefined
  }

  /** Shows further objects of a resource; the returned function takes them away. */
  show<R extends ListedResource>(resource: R, objects: readonly ListedObjects[R][]): () => void {
    this.#trials++
    this.#extra = { ...this.#extra, [resource]: objects }
    this.changed()
    return () => {
      this.#trials++
      this.#extra = { ...this.#extra, [resource]: [] }
      this.changed()
    }
  }

  #obstacles(row: number): readonly Verdict[] {
    this.#ready ??= this.plugins.filter.flatMap((plugin) => prepare(plugin, this.pod, this.context))
    const found: Verdict[] = []
    for (const { plugin, filter } of this.#ready) {
      const verdict = filter.refuse ?? this.#elsewhere(plugin, filter, row) ?? tell(plugin.name, () => filter.check?.(row))
      if (verdict !== undefined) found.push(verdict)
    }
    return found
  }

  #elsewhere({ name }: Plugin, { nodes }: PreparedFilter, row: number): Verdict | undefined {
    if (nodes === undefined || nodes.has(this.table.names[row] ?? '')) return undefined
    return unresolvable(name, `node(s) didn't satisfy plugin(s) [${name}]`)
  }
}

function prepare(plugin: Plugin, pod: PodInfo, context: PluginContext): readonly Ready[] {
  try {
    const filter = plugin.filter?.(pod, context)
    return filter === undefined ? [] : [{ plugin, filter }]
  } catch (error) {
    return [{ plugin, filter: { refuse: unresolvable(plugin.name, messageOf(error)) } }]
  }
}

/** A plugin that throws is an obstacle as well. */
function tell(plugin: string, check: () => Verdict | undefined): Verdict | undefined {
  try {
    return check()
  } catch (error) {
    return unresolvable(plugin, messageOf(error))
  }
}
