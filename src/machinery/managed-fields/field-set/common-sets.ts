import type { FieldSet } from './field-set.ts'

/** Texts of one generation of sets; two are kept. A set of a pod's status has about a kilobyte. */
const MOST_CHARACTERS = 1 << 20
/** Down to this depth parts are looked at by themselves: below, they are small and mostly found with what is around them. */
const DEEPEST = 2
/** Who is larger is shared with nobody: he would drive out all others. */
const LONGEST = 16_384

/**
 * Objects that one program makes have the same owners of the same fields, and there are a hundred thousand of them. So sets that say the same are one: the
 * whole, or where an object has a field of its own (a pod's address), the parts of it that others have too. Holds what was asked for lately, and no object.
 */
class CommonSets {
  #young = new Map<string, FieldSet>()
  #old = new Map<string, FieldSet>()
  #characters = 0
  readonly #common = new WeakSet<FieldSet>()

  /** Whether a set is one that stands for all that say the same, or a part of one. */
  has(set: FieldSet): boolean {
    return this.#common.has(set)
  }

  /** The set that stands for all that say the same in the same order. */
  of(set: FieldSet, depth = 0): FieldSet {
    if (this.#common.has(set)) return set
    const text = JSON.stringify(set)
    if (text.length > LONGEST) return set
    const known = this.#find(text)
    if (known !== undefined) return known
    const made = depth < DEEPEST ? this.#withCommonParts(set, depth) : set
    this.#keep(text, made)
    return made
  }

  #withCommonParts(set: FieldSet, depth: number): FieldSet {
    let result: { [element: string]: FieldSet } | undefined
    for (const element in set) {
      const part = set[element]
      if (part === undefined) continue
      const common = this.of(part, depth + 1)
      if (common === part) continue
      result ??= { ...set }
      result[element] = common
    }
    return result ?? set
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

/** Sets are never changed, and know nothing of whose they are: all servers of a process may share them. */
const sets = new CommonSets()

/** Whether a set came from here, or is a part of one that did. */
export const isCommonSet = (set: FieldSet): boolean => sets.has(set)

/** The set, or one that says the same and that other objects have too. Not for sets of very many paths: they are written out to be compared. */
export const commonSet = (set: FieldSet): FieldSet => sets.of(set)
