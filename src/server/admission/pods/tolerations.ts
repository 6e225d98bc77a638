import type { Toleration } from '../../../resources/types/core.ts'

const same = (a: Toleration, b: Toleration): boolean =>
  (a.key ?? '') === (b.key ?? '') &&
  (a.operator ?? '') === (b.operator ?? '') &&
  (a.value ?? '') === (b.value ?? '') &&
  (a.effect ?? '') === (b.effect ?? '') &&
  a.tolerationSeconds === b.tolerationSeconds

/** Whether the first tolerates everything that the second does. */
export function coversToleration(wide: Toleration, narrow: Toleration): boolean {
  if (same(wide, narrow)) return true
  const { key = '', operator = '', value = '', effect = '' } = wide
  if (key !== (narrow.key ?? '') && (key !== '' || operator !== 'Exists')) return false
  if (effect !== '' && effect !== (narrow.effect ?? '')) return false
  if (effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false
  }
  // As upstream, the operator is compared literally: a toleration without one is covered only by one without one.
  if (operator === 'Equal' || operator === '') return narrow.operator === 'Equal' && value === (narrow.value ?? '')
  return operator === 'Exists'
}

/** Both lists, without tolerations that others cover. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const merged: Toleration[] = []
  const kept = new Set<number>()
  const candidates = mayCover(all)
  for (const [i, one] of all.entries()) {
    const covered = candidates(one).some((j) => {
      const other = all[j]
      if (other === undefined || j === i || (j < i ? !kept.has(j) : same(other, one))) return false
      return coversToleration(other, one)
    })
    if (covered) continue
    kept.add(i)
    merged.push(one)
  }
  return merged
}

/**
 * Finds the tolerations that may cover a given one, by key and, if it has to be equal, by value, so that the work is not
 * quadratic in the length of the list.
 */
export function mayCover(all: readonly Toleration[]): (one: Toleration) => readonly number[] {
  const index = new Map<string, number[]>()
  for (const [i, { key = '', operator = '', value = '' }] of all.entries()) {
    const indexKey = JSON.stringify(operator === 'Exists' ? [key] : [key, value])
    const found = index.get(indexKey)
    if (found === undefined) index.set(indexKey, [i])
    else found.push(i)
  }
  return ({ key = '', value = '' }) =>
    [...new Set([[key, value], [key], ['']].map((indexKey) => JSON.stringify(indexKey)))].flatMap((indexKey) => index.get(indexKey) ?? [])
}

/** Whether each toleration is covered by an allowed one; an empty list allows all. */
export const tolerationsAllowed = (tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean =>
  allowed.length === 0 || tolerations.every((one) => allowed.some((wide) => coversToleration(wide, one)))
