import { AGE, define, NAME } from '../define.ts'
import type * as authentication from '../types/authentication.ts'
import type * as core from '../types/core.ts'
import type { UncheckedObject } from '../unchecked.ts'

type ServiceAccount = UncheckedObject<core.ServiceAccount>

export const serviceAccounts = define<ServiceAccount>({
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

/** The default lifetime of a token: one hour. */
function liveForAnHour(input: UncheckedObject<authentication.TokenRequest>): void {
  input.spec ??= {}
  input.spec.expirationSeconds ??= 3600
}

const ENFORCE = 'kubernetes.io/enforce-mountable-secrets'
const hasEnforcement = (account: ServiceAccount): boolean => Object.hasOwn(account.metadata.annotations ?? {}, ENFORCE)

/** Keeps only the name of a reference to a secret. */
function keepSecretNames(draft: ServiceAccount): void {
  if (!Array.isArray(draft.secrets)) return
  draft.secrets = draft.secrets.map((reference) => (reference?.name ? { name: reference.name } : {}))
}
