import { define } from '../define.ts'

/** The older way to bind a pod to a node; the pod's own `binding` subresource does the same. */
export const bindings = define({
  group: '',
  kind: 'Binding',
  plural: 'bindings',
  singular: 'binding',
  verbs: ['create'],
  review: { review: 'bindings' },
})
