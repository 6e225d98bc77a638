/** `core/v1 Toleration` */
export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

const same = (a: Toleration, b: Toleration): boolean =>
  (a.key ?? '') === (b.key ?? '') &&
  (a.operator ?? '') === (b.operator ?? '') &&
  (a.value ?? '') === (b.value ?? '') &&
  (a.effect ?? '') === (b.effect ?? '') &&
  a.tolerationSeconds === b.tolerationSeconds

/** Whether the first tolerates all that the second does. */
export function coversToleration(wide: Toleration, narrow: Toleration): boolean {
  if (same(wide, narrow)) return true
  const { key = '', operator = '', value = '', effect = '' } = wide
  if (key !== (narrow.key ?? '') && (key !== '' || operator !== 'Exists')) return false
  if (effect !== '' && effect !== (narrow.effect ?? '')) return false
  if (effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false
  }
  // Upstream wants the word here: a toleration without an operator is covered only by its like.
  if (operator === 'Equal' || operator === '') return narrow.operator === 'Equal' && value === (narrow.value ?? '')
  return operator === 'Exists'
}

/** Both lists in one; of two of which one covers the other, that one stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const merged: Toleration[] = []
  for (const [i, one] of all.entries()) {
    const before = merged.some((kept) => coversToleration(kept, one))
    const after = all.slice(i + 1).some((later) => !same(later, one) && coversToleration(later, one))
    if (!before && !after) merged.push(one)
  }
  return merged
}

/** Whether each of the tolerations is covered by one of those that are allowed; an empty list allows all. */
export const tolerationsAllowed = (tolerations: readonly Toleration[], allowed: readonly Toleration[]): boolean =>
  allowed.length === 0 || tolerations.every((one) => allowed.some((wide) => coversToleration(wide, one)))
