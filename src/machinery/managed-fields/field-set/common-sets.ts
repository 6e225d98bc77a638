import type { FieldSet } from './field-set.ts'

/** Characters of one generation of sets; two generations are kept. The set of a pod's status has about a kilobyte. */
const MOST_CHARACTERS = 1 << 20
/** Parts are shared down to this depth: deeper ones are small, and mostly shared with their parents. */
const DEEPEST = 2
/** Longest text of a shared set: larger ones would evict all others. */
const LONGEST = 16_384

/**
 * Interns sets. Objects that one program makes have the same owners of the same fields, and there may be a hundred thousand of them. Shares
 * the whole set, or if an object has a field of its own (a pod's address), the parts that others have, too. Contains recently used sets and
 * no objects.
 */
class CommonSets {
  #young = new Map<string, FieldSet>()
  #old = new Map<string, FieldSet>()
  #characters = 0
  readonly #common = new WeakSet<FieldSet>()

  /** True if a set is interned, or a part of an interned set. */
  has(set: FieldSet): boolean {
    return this.#common.has(set)
  }

  /** The interned set with the same members in the same order. */
  of(set: FieldSet, depth = 0): FieldSet {
    if (this.#common.has(set)) return set
    const text = JSON.stringify(set)
    if (text.length > LONGEST) return set
    const known = this.#find(text)
    if (known !== undefined) return known
    const made = depth < DEEPEST ? this.#withCommonParts(set, depth) : { ...set }
    this.#keep(text, made)
    return made
  }

  /**
   * Always a copy: V8 keeps an object from which members were deleted as a hash table, and writes whatever contains it as JSON three times
   * slower. A copy is none.
   */
  #withCommonParts(set: FieldSet, depth: number): FieldSet {
    const copy = { ...set }
    for (const element in set) {
      const part = set[element]
      if (part !== undefined) copy[element] = this.of(part, depth + 1)
    }
    return copy
  }

  #find(text: string): FieldSet | undefined {
    const young = this.#young.get(text)
    if (young !== undefined) return young
    const old = this.#old.get(text)
    if (old !== undefined) this.#keep(text, old)
    return old
  }

  #keep(text: string, set: FieldSet): void {
    if (this.#characters > MOST_CHARACTERS) {
      this.#old = this.#young
      this.#young = new Map()
      this.#characters = 0
    }
    this.#characters += text.length
    this.#young.set(text, set)
    this.#common.add(set)
  }
}

/** Sets are immutable and refer to no object, so all servers of a process can share them. */
const sets = new CommonSets()

/** True if a set was returned by `commonSet`, or is a part of one that was. */
export const isCommonSet = (set: FieldSet): boolean => sets.has(set)

/** The interned equal of a set. Not for sets of very many paths: they are serialized for the comparison. */
export const commonSet = (set: FieldSet): FieldSet => sets.of(set)
