import type { FlagValues } from '../../machinery/flags/flag.ts'
import { duration, refused, strings, text } from '../../machinery/flags/kinds.ts'

const NOT_YET = refused('not followed yet')

/** What they may do. */
export const AUTHORIZATION_FLAGS = {
  'authorization-mode': strings([], { help: 'authorizers in their order: Node, RBAC' }),
  'authorization-config': text('', NOT_YET),
  'authorization-policy-file': text('', NOT_YET),
  'authorization-webhook-config-file': text('', NOT_YET),
  'authorization-webhook-version': text('v1beta1', NOT_YET),
  'authorization-webhook-cache-authorized-ttl': duration(300_000, NOT_YET),
  'authorization-webhook-cache-unauthorized-ttl': duration(30_000, NOT_YET),
}

type AuthorizationValues = FlagValues<typeof AUTHORIZATION_FLAGS>

export interface AuthorizationOptions {
  readonly modes: readonly string[]
}

export const authorizationFaults = (_flags: { readonly values: AuthorizationValues; readonly given: ReadonlySet<string> }): string[] => []

export const readAuthorization = ({ values }: { readonly values: AuthorizationValues }): AuthorizationOptions => ({
  modes: values['authorization-mode'],
})
