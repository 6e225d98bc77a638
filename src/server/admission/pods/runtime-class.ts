import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { Draft } from '../../../machinery/object.ts'
import { Quantity, tryParseQuantity } from '../../../machinery/quantity.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { RUNTIME_CLASSES } from '../../../resources/refs.ts'
import type { Pod, ResourceList, Toleration } from '../../../resources/types/core.ts'
import type { RuntimeClass } from '../../../resources/types/node.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { createdPod } from '../requests-about.ts'
import { mayCover } from './tolerations.ts'

/** Sets the overhead and the scheduling constraints of a pod's runtime class. */
export function runtimeClass({ reader }: AdmissionDeps): AdmissionPlugin {
  const classOf = (request: AdmissionRequest, pod: Pod): RuntimeClass | undefined => {
    const name = pod.spec.runtimeClassName ?? ''
    if (name === '') return undefined
    const found = readObject(reader, RUNTIME_CLASSES, '', name)
    if (found === undefined) throw refusal(request, `pod rejected: RuntimeClass ${goQuote(name)} not found`)
    return found
  }
  return {
    name: 'RuntimeClass',
    handles: (r) => createdPod(r) !== undefined,
    mutate(request) {
      const pod = createdPod(request)
      const found = pod === undefined ? undefined : classOf(request, pod)
      if (pod === undefined || found === undefined) return
      const overhead = found.overhead?.podFixed
      if (overhead !== undefined) {
        if (pod.spec.overhead !== undefined && !sameAmounts(pod.spec.overhead, overhead)) {
          throw refusal(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
        }
        pod.spec.overhead = { ...overhead }
      }
      schedule(request, pod, found.scheduling)
    },
    validate(request) {
      const pod = createdPod(request)
      if (pod === undefined) return
      const overhead = classOf(request, pod)?.overhead?.podFixed
      if (overhead === undefined && pod.spec.overhead !== undefined) {
        throw refusal(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
      }
      if (overhead !== undefined && !sameAmounts(pod.spec.overhead ?? {}, overhead)) {
        throw refusal(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
      }
    },
  }
}

function sameAmounts(a: ResourceList, b: ResourceList): boolean {
  const names = Object.keys(a)
  const same = (x: string, y: string | undefined) =>
    y !== undefined && tryParseQuantity(x)?.compare(tryParseQuantity(y) ?? Quantity.zero) === 0
  return names.length === Object.keys(b).length && names.every((n) => same(a[n] ?? '', b[n]))
}

function schedule(request: AdmissionRequest, pod: Draft<Pod>, scheduling: RuntimeClass['scheduling']): void {
  if (scheduling === undefined) return
  const selector: Record<string, string> = { ...pod.spec.nodeSelector }
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = Object.hasOwn(selector, key) ? selector[key] : undefined
    if (own !== undefined && own !== value) {
      throw refusal(request, `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`)
    }
    selector[key] = value
  }
  if (Object.keys(selector).length > 0) pod.spec.nodeSelector = selector
  const merged = mergeRuntimeTolerations(pod.spec.tolerations ?? [], scheduling.tolerations ?? [])
  if (merged.length > 0) pod.spec.tolerations = merged
}

/** Both lists, without tolerations that others cover. */
export function mergeRuntimeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const candidates = mayCover(all)
  const kept = new Set<number>()
  for (const [i, one] of all.entries()) {
    const others = candidates(one).filter((j) => j !== i)
    if (others.some((j) => kept.has(j) && equalJson(all[j], one))) continue
    if (!others.some((j) => !equalJson(one, all[j]) && covers(all[j] ?? {}, one))) kept.add(i)
  }
  return all.filter((_, i) => kept.has(i))
}

function covers(wide: Toleration, narrow: Toleration): boolean {
  const key = wide.key ?? ''
  if (key !== '' && key !== (narrow.key ?? '')) return false
  if ((wide.effect ?? '') !== '' && wide.effect !== narrow.effect) return false
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || wide.tolerationSeconds < narrow.tolerationSeconds) return false
  }
  if ((wide.operator ?? 'Equal') === 'Exists') return true
  return (narrow.operator ?? 'Equal') === 'Equal' && (wide.value ?? '') === (narrow.value ?? '') && key === (narrow.key ?? '')
}
