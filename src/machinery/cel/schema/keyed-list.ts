import { CelMap, containsAll, distinctValues, equals, giveListSemantics, type Value } from '../values.ts'

/** `x-kubernetes-list-type: set`: equal in any order; `+` keeps each element once, in the order of the left operand. */
export function asSet(list: Value[]): readonly Value[] {
  return giveListSemantics(list, {
    equals: (other) => other.length === list.length && containsAll(other, list),
    concat: (other) => asSet(distinctValues([...list, ...other])),
  })
}

/** `x-kubernetes-list-type: map`: elements are identified by their keys; `+` replaces those of the left by those of the right. */
export function asKeyed(list: Value[], keys: readonly string[]): readonly Value[] {
  const keyOf = (v: Value) => JSON.stringify(keys.map((k) => (v instanceof CelMap ? show(v.get(k)) : null)))
  return giveListSemantics(list, {
    equals(other) {
      if (other.length !== list.length) return false
      const theirs = new Map(other.map((v) => [keyOf(v), v]))
      return list.every((v) => {
        const same = theirs.get(keyOf(v))
        return same !== undefined && equals(v, same)
      })
    },
    concat(other) {
      const merged = new Map(list.map((v) => [keyOf(v), v]))
      for (const v of other) merged.set(keyOf(v), v)
      return asKeyed([...merged.values()], keys)
    },
  })
}

const show = (v: Value | undefined) => (typeof v === 'bigint' ? `${v}` : typeof v === 'string' ? `"${v}"` : (v ?? null))
