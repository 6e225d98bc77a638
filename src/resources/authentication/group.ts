import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { define } from '../define.ts'

const review = (kind: string, plural: string) =>
  define({
    group: 'authentication.k8s.io',
    kind,
    plural,
    singular: kind.toLowerCase(),
    scope: 'Cluster',
    verbs: ['create'],
    review: { review: plural },
  })

export const authenticationResources: readonly ResourceDefinition[] = [
  review('SelfSubjectReview', 'selfsubjectreviews'),
  review('TokenReview', 'tokenreviews'),
]
