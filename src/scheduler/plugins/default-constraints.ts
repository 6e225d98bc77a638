import { compileMatcher } from '../../machinery/selectors/label-matcher.ts'
import type { LabelSelector } from '../../machinery/validation/label-selector.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { Listers } from '../framework/listers.ts'

/** The selector of the services and the controller of a pod, for spreading pods without constraints. Undefined: it has neither. */
export function ownersSelector(pod: Readonly<Pod>, listers: Listers): LabelSelector | undefined {
  const labels = pod.metadata.labels ?? {}
  const matchLabels: Record<string, string> = {}
  for (const service of listers.list('services', pod.metadata.namespace ?? '')) {
    const selector = service.spec?.selector ?? {}
    if (Object.keys(selector).length > 0 && compileMatcher({ matchLabels: selector })(labels)) Object.assign(matchLabels, selector)
  }
  const ofController = controllerSelector(pod, listers)
  Object.assign(matchLabels, ofController?.matchLabels)
  const { matchExpressions = [] } = ofController ?? {}
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0 ? undefined : { matchLabels, matchExpressions }
}

function controllerSelector({ metadata }: Readonly<Pod>, listers: Listers): LabelSelector | undefined {
  const owner = metadata.ownerReferences?.find((o) => o.controller === true)
  if (owner === undefined) return undefined
  const namespace = metadata.namespace ?? ''
  switch (owner.kind) {
    case 'ReplicationController':
      return { matchLabels: listers.get('replicationcontrollers', namespace, owner.name)?.spec?.selector ?? {} }
    case 'ReplicaSet':
      return listers.get('replicasets', namespace, owner.name)?.spec?.selector
    case 'StatefulSet':
      return listers.get('statefulsets', namespace, owner.name)?.spec?.selector
    default:
      return undefined
  }
}
