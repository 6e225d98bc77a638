import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { inTurns } from '../../../base/steps.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { Draft } from '../../../machinery/object.ts'
import { Quantity, tryParseQuantity } from '../../../machinery/quantity.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { RUNTIME_CLASSES } from '../../../resources/refs.ts'
import type { Pod, ResourceList } from '../../../resources/types/core.ts'
import type { RuntimeClass, Scheduling } from '../../../resources/types/node.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { plainError } from '../plain-error.ts'
import { createdPod } from '../requests-about.ts'
import { unreadableName } from '../unreadable-name.ts'
import { mergeTolerations } from './tolerations.ts'

/** Sets the overhead and the scheduling constraints of a pod's runtime class. */
export function runtimeClass({ reader }: AdmissionDeps): AdmissionPlugin {
  const classOf = (request: AdmissionRequest, pod: Pod): RuntimeClass | undefined => {
    const name = pod.spec.runtimeClassName
    if (name === undefined) return undefined
    const found = readObject(reader, RUNTIME_CLASSES, '', name)
    if (found !== undefined) return found
    const fault = unreadableName(name)
    if (fault !== undefined) throw plainError(fault)
    throw refusal(request, `pod rejected: RuntimeClass ${goQuote(name)} not found`)
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
      return found.scheduling === undefined ? undefined : schedule(request, pod, found.scheduling)
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

async function schedule(request: AdmissionRequest, pod: Draft<Pod>, scheduling: Scheduling): Promise<void> {
  const selector: Record<string, string> = { ...pod.spec.nodeSelector }
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = Object.hasOwn(selector, key) ? selector[key] : undefined
    if (own !== undefined && own !== value) {
      throw refusal(request, `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`)
    }
    selector[key] = value
  }
  if (Object.keys(selector).length > 0) pod.spec.nodeSelector = selector
  const merged = await inTurns(mergeTolerations(pod.spec.tolerations ?? [], scheduling.tolerations ?? []))
  if (merged.length > 0) pod.spec.tolerations = merged
}
