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
    warnings: (account, old) =>
      hasEnforcement(account) && !(old && hasEnforcement(old))
        ? [`metadata.annotations[${ENFORCE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`]
        : [],
  },
  subresources: {
    token: {
      kind: 'action',
      verbs: ['create'],
      input: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
      defaults: liveForAnHour,
      action: 'serviceaccounts/token',
    },
  },
})

/** Of tokens that do not say how long they are to live. */
function liveForAnHour(input: KubeObject): void {
  input.spec ??= {}
  input.spec.expirationSeconds ??= 3600
}

const ENFORCE = 'kubernetes.io/enforce-mountable-secrets'
const hasEnforcement = (account: KubeObject): boolean => Object.hasOwn(account.metadata.annotations ?? {}, ENFORCE)

/** A reference to a secret keeps nothing but the name. */
function keepSecretNames(draft: KubeObject): void {
  if (!Array.isArray(draft.secrets)) return
  draft.secrets = draft.secrets.map((reference: { name?: string } | null) => (reference?.name ? { name: reference.name } : {}))
}
