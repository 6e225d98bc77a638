import type { DeviceTaint, DeviceToleration } from '../../resources/types/resource.ts'

/** Whether a toleration of a request matches a taint of a device. Unlike in pods, an empty key matches any key. */
export function toleratesDeviceTaint({ effect, key, operator, value }: DeviceToleration, taint: DeviceTaint): boolean {
  if (effect && effect !== taint.effect) return false
  if (key && key !== taint.key) return false
  if (operator === 'Exists') return true
  return (!operator || operator === 'Equal') && (value ?? '') === (taint.value ?? '')
}

/** Whether tolerations match all taints that forbid allocation. Unknown effects forbid nothing. */
export const bearsTaints = (taints: readonly DeviceTaint[] = [], tolerations: readonly DeviceToleration[] = []): boolean =>
  taints.every(
    (taint) => (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') || tolerations.some((t) => toleratesDeviceTaint(t, taint)),
  )
