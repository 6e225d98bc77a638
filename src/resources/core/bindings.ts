import { define } from '../define.ts'
import type * as core from '../types/core.ts'
import type { UncheckedObject } from '../unchecked.ts'

type Binding = UncheckedObject<core.Binding>

/** The older way to bind a pod to a node; the pod's `binding` subresource does the same. */
export const bindings = define<Binding>({
  group: '',
  kind: 'Binding',
  plural: 'bindings',
  singular: 'binding',
  verbs: ['create'],
  review: { review: 'bindings' },
})
