import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { define } from '../define.ts'

const review = (kind: string, scope: 'Namespaced' | 'Cluster') => {
  const plural = `${kind.toLowerCase()}s`
  return define({
    group: 'authorization.k8s.io',
    kind,
    plural,
    singular: kind.toLowerCase(),
    scope,
    verbs: ['create'],
    review: { review: plural },
  })
}

export const authorizationResources: readonly ResourceDefinition[] = [
  review('LocalSubjectAccessReview', 'Namespaced'),
  review('SelfSubjectAccessReview', 'Cluster'),
  review('SelfSubjectRulesReview', 'Cluster'),
  review('SubjectAccessReview', 'Cluster'),
]
