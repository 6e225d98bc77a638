import type { DeviceTaint, DeviceToleration } from '../../resources/types/resource.ts'

/** Whether a toleration of a request stands a taint of a device. Unlike those of pods, an empty key is any key. */
export function toleratesDeviceTaint({ effect, key, operator, value }: DeviceToleration, taint: DeviceTaint): boolean {
  if (effect && effect !== taint.effect) return false
  if (key && key !== taint.key) return false
  if (operator === 'Exists') return true
  return (!operator || operator === 'Equal') && (value ?? '') === (taint.value ?? '')
}

/** Whether the device may be given to a request with these tolerations; effects that nobody knows are no obstacle. */
export const bearsTaints = (taints: readonly DeviceTaint[] = [], tolerations: readonly DeviceToleration[] = []): boolean =>
  taints.every(
    (taint) => (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') || tolerations.some((t) => toleratesDeviceTaint(t, taint)),
  )
