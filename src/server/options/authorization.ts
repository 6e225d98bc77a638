import { goQuote } from '../../machinery/field-error.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { duration, strings, text } from '../../machinery/flags/kinds.ts'
import type { AuthorizationOptions } from '../auth/auth-options.ts'
import { type AbacPolicy, PolicyFileError, readPolicies } from '../auth/authorizers/abac/policy-file.ts'
import {
  AUTHORIZER_TYPES,
  type AuthorizationConfiguration,
  AuthorizationConfigurationError,
  type AuthorizerConfiguration,
  type AuthorizerType,
} from '../auth/authorizers/configuration/configuration.ts'
import { loadAuthorization, nameOfType } from '../auth/authorizers/configuration/load.ts'
import { AUTHORIZED_TTL_MS, UNAUTHORIZED_TTL_MS } from '../auth/authorizers/configuration/validate.ts'
import { optionFile } from '../option-file.ts'
import { OptionsError } from '../options-error.ts'

/** Authorization. */
export const AUTHORIZATION_FLAGS = {
  'authorization-mode': strings([], {
    help: 'the authorizers, in their order: ABAC, AlwaysAllow, AlwaysDeny, Node, RBAC, Webhook (default: AlwaysAllow)',
  }),
  'authorization-config': text('', { help: 'an AuthorizationConfiguration, instead of --authorization-mode; read again when it changes' }),
  'authorization-policy-file': text('', { help: 'the policies of ABAC, a JSON object on each line' }),
  'authorization-webhook-config-file': text('', { help: 'a kubeconfig that names the authorization webhook' }),
  'authorization-webhook-version': text('v1beta1', { help: 'the version of the SubjectAccessReview: v1beta1 or v1' }),
  'authorization-webhook-cache-authorized-ttl': duration(AUTHORIZED_TTL_MS, { help: 'how long its positive responses are cached' }),
  'authorization-webhook-cache-unauthorized-ttl': duration(UNAUTHORIZED_TTL_MS, { help: 'how long its negative responses are cached' }),
}

type AuthorizationValues = FlagValues<typeof AUTHORIZATION_FLAGS>

interface AuthorizationFlags {
  readonly values: AuthorizationValues
  readonly given: ReadonlySet<string>
}

const CONFIG = 'authorization-config'
const OTHERS = [
  'authorization-mode',
  'authorization-webhook-config-file',
  'authorization-webhook-version',
  'authorization-webhook-cache-authorized-ttl',
  'authorization-webhook-cache-unauthorized-ttl',
]

export function authorizationFaults({ values, given }: AuthorizationFlags): string[] {
  if (values[CONFIG] !== '') {
    if (OTHERS.some((name) => given.has(name)))
      return [`--${CONFIG} can not be specified when --authorization-mode or --authorization-webhook-* flags are defined`]
    return faultsOf(() => readConfiguration(values[CONFIG]))
  }
  const modes = modesOf(values)
  const policyFile = values['authorization-policy-file']
  const webhookFile = values['authorization-webhook-config-file']
  return [
    ...modes.flatMap((mode) => [
      ...(typeOf(mode) === undefined ? [`authorization-mode ${goQuote(mode)} is not a valid mode`] : []),
      ...(mode === 'ABAC' && policyFile === '' ? ["authorization-mode ABAC's authorization policy file not passed"] : []),
      ...(mode === 'Webhook' && webhookFile === '' ? ["authorization-mode Webhook's authorization config file not passed"] : []),
    ]),
    ...(policyFile !== '' && !modes.includes('ABAC') ? ['cannot specify --authorization-policy-file without mode ABAC'] : []),
    ...(webhookFile !== '' && !modes.includes('Webhook')
      ? ['cannot specify --authorization-webhook-config-file without mode Webhook']
      : []),
    ...(new Set(modes).size < modes.length
      ? [`authorization-mode [${modes.map(goQuote).join(' ')}] has mode specified more than once`]
      : []),
  ]
}

/** The authorizers of the flags, with files loaded. */
export function readAuthorization({ values }: Pick<AuthorizationFlags, 'values'>): AuthorizationOptions {
  if (values[CONFIG] !== '') {
    const { file, authorizers } = readConfiguration(values[CONFIG])
    return { authorizers, reload: file, policies: readAbac(values, authorizers) }
  }
  const authorizers = modesOf(values).flatMap((mode) => authorizerOf(mode, values))
  return { authorizers, reload: undefined, policies: readAbac(values, authorizers) }
}

/** Whether AlwaysAllow is the authorizer, so that anonymous requests have to be turned off. */
export const allowsAll = ({ values }: Pick<AuthorizationFlags, 'values'>): boolean =>
  values[CONFIG] === '' && modesOf(values).includes('AlwaysAllow')

const modesOf = (values: AuthorizationValues): readonly string[] =>
  values['authorization-mode'].length === 0 ? ['AlwaysAllow'] : values['authorization-mode']

const typeOf = (mode: string): AuthorizerType | undefined => AUTHORIZER_TYPES.find((type) => type === mode)

function authorizerOf(mode: string, values: AuthorizationValues): AuthorizerConfiguration[] {
  const type = typeOf(mode)
  if (type === undefined) return []
  if (type !== 'Webhook') return [{ type, name: nameOfType(type) }]
  const version = values['authorization-webhook-version']
  if (version !== 'v1' && version !== 'v1beta1')
    throw wrong(`unsupported webhook authorizer version ${goQuote(version)}, supported versions are "v1", "v1beta1"`)
  const webhook = {
    version,
    authorizedTtlMs: values['authorization-webhook-cache-authorized-ttl'],
    unauthorizedTtlMs: values['authorization-webhook-cache-unauthorized-ttl'],
    timeoutMs: 30_000,
    onFailure: 'no-opinion',
    kubeConfigFile: values['authorization-webhook-config-file'],
    conditions: [],
  } as const
  return [{ type, name: 'default', webhook }]
}

function readConfiguration(path: string) {
  const file = optionFile(path)
  return { file, authorizers: loadAuthorization(file.current()) }
}

/** The faults that reading a file throws. */
function faultsOf(read: () => unknown): string[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof OptionsError || error instanceof AuthorizationConfigurationError) return [error.message]
    throw error
  }
}

function readAbac(values: AuthorizationValues, authorizers: AuthorizationConfiguration): readonly AbacPolicy[] {
  if (!authorizers.some((a) => a.type === 'ABAC')) return []
  const path = values['authorization-policy-file']
  try {
    return readPolicies(optionFile(path, (error) => `invalid authorization config: ${error}`).current(), path)
  } catch (error) {
    throw error instanceof PolicyFileError ? wrong(error.message) : error
  }
}

const wrong = (message: string) => new OptionsError('bad-file', `invalid authorization config: ${message}`)
