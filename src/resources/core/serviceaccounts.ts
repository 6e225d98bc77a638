import type { KubeObject } from '../../machinery/object.ts'
import { AGE, define, NAME } from '../define.ts'

export const serviceAccounts = define({
  group: '',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  columns: [NAME, AGE],
  rules: {
    returnsDeleted: true,
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,
  },
  subresources: {
    token: {
      kind: 'action',
      verbs: ['create'],
      input: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
      action: 'serviceaccounts/token',
    },
  },
})

/** A reference to a secret keeps nothing but the name. */
function keepSecretNames(draft: KubeObject): void {
  if (!Array.isArray(draft.secrets)) return
  draft.secrets = draft.secrets.map((reference: { name?: string } | null) => (reference?.name ? { name: reference.name } : {}))
}
