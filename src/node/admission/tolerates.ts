import type { Pod } from '../types/pod.ts'

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
}

/** Whether a toleration matches a taint. */
export function tolerates(t: NonNullable<Pod['spec']['tolerations']>[number], taint: Taint): boolean {
  if (t.effect && t.effect !== taint.effect) return false
  if (t.key && t.key !== taint.key) return false
  return t.operator === 'Exists' || (t.value ?? '') === (taint.value ?? '')
}
