import { tryParseQuantity } from '../../machinery/quantity.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { readObject } from '../../resources/read-objects.ts'
import { PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import type { FileBudget } from './file-budget.ts'
import { type FileTree, fileTree } from './file-tree.ts'

/** The files of persistent volumes, of the whole cluster: they outlive pods, and go when their volume has gone. */
export class PersistentTrees {
  readonly #objects: Pick<Reader, 'get'>
  readonly #mostBytes: number
  readonly #budget: FileBudget
  readonly #trees = new Map<string, FileTree>()
  /** So many trees are looked through for those whose volumes have gone: twice what was left the last time. */
  #sweepAt = 16

  constructor(objects: Pick<Reader, 'get'>, mostBytes: number, budget: FileBudget) {
    this.#objects = objects
    this.#mostBytes = mostBytes
    this.#budget = budget
  }

  get size(): number {
    return this.#trees.size
  }

  /** The tree of a volume: as large as the volume says that it is, now, and never larger than the most. */
  of(name: string, nowMs: number): FileTree {
    const limitBytes = this.#limitOf(name)
    const known = this.#trees.get(name)
    if (known !== undefined) {
      known.space.limitBytes = limitBytes
      return known
    }
    this.#sweep()
    const tree = fileTree(limitBytes, { mode: 0o777, mtimeMs: nowMs }, this.#budget)
    this.#trees.set(name, tree)
    return tree
  }

  /** The volume is larger than before: so is what stands mounted of it. */
  grow(name: string): void {
    const known = this.#trees.get(name)
    if (known !== undefined) known.space.limitBytes = this.#limitOf(name)
  }

  #limitOf(name: string): number {
    const storage = readObject(this.#objects, PERSISTENT_VOLUMES, '', name)?.spec?.capacity?.storage
    const bytes = storage === undefined ? 0 : (tryParseQuantity(storage)?.value() ?? 0)
    return bytes > 0 ? Math.min(bytes, this.#mostBytes) : this.#mostBytes
  }

  #sweep(): void {
    if (this.#trees.size < this.#sweepAt) return
    for (const [name, { space }] of this.#trees) {
      if (readObject(this.#objects, PERSISTENT_VOLUMES, '', name) !== undefined) continue
      this.#trees.delete(name)
      this.#budget.forget(space)
    }
    this.#sweepAt = Math.max(16, this.#trees.size * 2)
  }
}
