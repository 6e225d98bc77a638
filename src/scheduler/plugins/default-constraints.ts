import { compileMatcher } from '../../machinery/selectors/label-matcher.ts'
import type { Listers } from '../framework/prepared.ts'
import type { LabelSelector, Pod } from '../objects.ts'

const OWNERS: Readonly<Record<string, string>> = {
  ReplicationController: 'replicationcontrollers',
  ReplicaSet: 'replicasets',
  StatefulSet: 'statefulsets',
}

/** The selector of the services and the controller that a pod belongs to, for spreading pods that say nothing; undefined when there is none. */
export function ownersSelector(pod: Readonly<Pod>, listers: Listers): LabelSelector | undefined {
  const labels = pod.metadata.labels ?? {}
  const namespace = pod.metadata.namespace ?? ''
  const matchLabels: Record<string, string> = {}
  let matchExpressions: LabelSelector['matchExpressions'] = []
  for (const service of listers.list('services', namespace)) {
    const selector: Record<string, string> = service.spec?.selector ?? {}
    if (Object.keys(selector).length > 0 && compileMatcher({ matchLabels: selector })(labels)) Object.assign(matchLabels, selector)
  }
  const owner = pod.metadata.ownerReferences?.find((o) => o.controller === true)
  const resource = owner === undefined ? undefined : OWNERS[owner.kind]
  const controller = owner === undefined || resource === undefined ? undefined : listers.get(resource, namespace, owner.name)
  if (controller !== undefined && resource === 'replicationcontrollers') Object.assign(matchLabels, controller.spec?.selector)
  else if (controller !== undefined) {
    Object.assign(matchLabels, controller.spec?.selector?.matchLabels)
    matchExpressions = controller.spec?.selector?.matchExpressions ?? []
  }
  if (Object.keys(matchLabels).length === 0 && matchExpressions?.length === 0) return undefined
  return { matchLabels, matchExpressions: matchExpressions ?? [] }
}
