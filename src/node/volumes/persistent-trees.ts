import { tryParseQuantity } from '../../machinery/quantity.ts'
import { readObject } from '../../resources/read-objects.ts'
import { PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import type { FileBudget } from './file-budget.ts'
import { type FileTree, fileTree } from './file-tree.ts'
import type { ObjectSource } from './object-source.ts'

/** The files of a cluster's persistent volumes: they outlive pods, and are removed with their volume. */
export class PersistentTrees {
  readonly #source: ObjectSource
  readonly #mostBytes: number
  readonly #budget: FileBudget
  readonly #trees = new Map<string, FileTree>()
  /** The number of trees at which those of deleted volumes are removed: twice what remained the last time. */
  #sweepAt = 16

  constructor(source: ObjectSource, mostBytes: number, budget: FileBudget) {
    this.#source = source
    this.#mostBytes = mostBytes
    this.#budget = budget
  }

  get size(): number {
    return this.#trees.size
  }

  /** The tree of a volume, with the volume's current capacity, up to a fixed maximum. */
  async of(name: string, nowMs: number): Promise<FileTree> {
    const limitBytes = await this.#limitOf(name)
    if (!this.#trees.has(name)) await this.#sweep()
    const tree = this.#trees.get(name) ?? fileTree(limitBytes, { mode: 0o777, mtimeMs: nowMs }, this.#budget)
    tree.space.limitBytes = limitBytes
    this.#trees.set(name, tree)
    return tree
  }

  /** A volume was expanded: so is its mounted tree. */
  async grow(name: string): Promise<void> {
    const known = this.#trees.get(name)
    if (known !== undefined) known.space.limitBytes = await this.#limitOf(name)
  }

  async #limitOf(name: string): Promise<number> {
    const objects = await this.#source.read([{ ...PERSISTENT_VOLUMES, name }])
    const storage = readObject(objects, PERSISTENT_VOLUMES, '', name)?.spec?.capacity?.storage
    const bytes = storage === undefined ? 0 : (tryParseQuantity(storage)?.value() ?? 0)
    return bytes > 0 ? Math.min(bytes, this.#mostBytes) : this.#mostBytes
  }

  async #sweep(): Promise<void> {
    if (this.#trees.size < this.#sweepAt) return
    const names = [...this.#trees.keys()]
    const objects = await this.#source.read(names.map((name) => ({ ...PERSISTENT_VOLUMES, name })))
    for (const name of names) {
      const tree = this.#trees.get(name)
      if (tree === undefined || readObject(objects, PERSISTENT_VOLUMES, '', name) !== undefined) continue
      this.#trees.delete(name)
      this.#budget.forget(tree.space)
    }
    this.#sweepAt = Math.max(16, this.#trees.size * 2)
  }
}
