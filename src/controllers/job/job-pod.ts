import type { KubeObject } from '../../machinery/object.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import type { WantedPod } from './manage-pods.ts'
import { FAILURES, IGNORED, INDEX, TRACKING } from './tracking.ts'

/** A generated name has room for this many characters before its suffix. */
const NAME_LENGTH = 58

/** A pod of the job; with an index, it is told which. Pure. */
export function jobPod(job: KubeObject, { index, failures, ignored = 0 }: WantedPod): KubeObject {
  const pod = podFromTemplate(job, job.spec?.template ?? {})
  pod.metadata.finalizers = [...(pod.metadata.finalizers ?? []), TRACKING]
  if (index === undefined) return pod
  const { name = '' } = job.metadata
  const suffix = `-${index}-`
  pod.metadata.generateName = name.slice(0, NAME_LENGTH - suffix.length) + suffix
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [INDEX]: String(index),
    ...(failures === undefined ? {} : { [FAILURES]: String(failures) }),
    ...(ignored === 0 ? {} : { [IGNORED]: String(ignored) }),
  }
  pod.metadata.labels = { ...pod.metadata.labels, [INDEX]: String(index) }
  pod.spec.hostname = `${name}-${index}`
  const variable = { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } } }
  for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])])
    if (!container.env?.some((e: { name: string }) => e.name === variable.name)) container.env = [...(container.env ?? []), variable]
  return pod
}
