import type { Job } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import type { WantedPod } from './manage-pods.ts'
import { FAILURES, IGNORED, INDEX, TRACKING } from './tracking.ts'

/** A generated name has room for this many characters before its suffix. */
const NAME_LENGTH = 58

/** A pod of the job; one with an index gets it as annotation, label and variable. Pure. */
export function jobPod(job: Job, { index, failures, ignored = 0 }: WantedPod): Pod {
  const pod = podFromTemplate(job, job.spec.template)
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
    if (!container.env?.some((e) => e.name === variable.name)) container.env = [...(container.env ?? []), variable]
  return pod
}
