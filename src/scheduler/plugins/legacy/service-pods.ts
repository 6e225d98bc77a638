import { compileMatcher } from '../../../machinery/selectors/label-matcher.ts'
import type { LabelSelector } from '../../../machinery/validation/label-selector.ts'
import type { PodInfo } from '../../cache/pod-info.ts'
import type { Listers } from '../../framework/listers.ts'
import type { PluginContext } from '../../framework/prepared.ts'

/** The selector of the first service that a pod belongs to. */
export function serviceSelector(pod: PodInfo, { list }: Listers): LabelSelector | undefined {
  for (const service of list('services', pod.namespace)) {
    const matchLabels: Readonly<Record<string, string>> = service.spec?.selector ?? {}
    if (Object.keys(matchLabels).length > 0 && compileMatcher({ matchLabels })(pod.labels)) return { matchLabels }
  }
  return undefined
}

/** How many placed pods of a namespace a selector takes, per row; pods on their way out do not count. */
export function countPods(namespace: string, selector: LabelSelector, { table }: PluginContext) {
  const takes = compileMatcher(selector)
  return table.counter(
    JSON.stringify(['legacy', namespace, selector]),
    (other) => other.namespace === namespace && !other.terminating && takes(other.labels),
  )
}
