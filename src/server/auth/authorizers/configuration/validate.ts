import { statSync } from 'node:fs'
import path from 'node:path'
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../../../../machinery/field-error.ts'
import { showGoDuration } from '../../../../machinery/go/go-duration.ts'
import { dns1123Subdomain } from '../../../../machinery/names.ts'
import { compileFault } from '../../../../machinery/validation/compile-fault.ts'
import { whyUnreadable } from '../../../webhook-callers/kubeconfig.ts'
import { compileCondition, type MatchCondition } from '../webhook/match-conditions.ts'
import { AUTHORIZER_TYPES } from './configuration.ts'
import { durationMs, type WrittenAuthorizer, type WrittenWebhook } from './decode.ts'

export const AUTHORIZED_TTL_MS = 5 * 60_000
export const UNAUTHORIZED_TTL_MS = 30_000

/** Validates the authorizers. */
export function authorizerFaults(authorizers: readonly WrittenAuthorizer[]): FieldError[] {
  if (authorizers.length === 0) return [required('authorizers', 'at least one authorization mode must be defined')]
  const types = new Set<string>()
  const names = new Set<string>()
  return authorizers.flatMap((authorizer, i) => {
    const at = `authorizers[${i}]`
    const typeFault = faultOfType(authorizer.type ?? '', types, `${at}.type`)
    if (typeFault !== undefined) return [typeFault]
    return [...nameFaults(authorizer.name ?? '', names, `${at}.name`), ...webhookPresence(authorizer, at)]
  })
}

function faultOfType(type: string, seen: Set<string>, at: string): FieldError | undefined {
  if (type === '') return required(at)
  if (!AUTHORIZER_TYPES.some((known) => known === type)) return notSupported(at, type, AUTHORIZER_TYPES)
  if (seen.has(type) && type !== 'Webhook') return duplicate(at, type)
  seen.add(type)
  return undefined
}

function nameFaults(name: string, seen: Set<string>, at: string): FieldError[] {
  if (name === '') return [required(at)]
  if (seen.has(name)) return [duplicate(at, name)]
  seen.add(name)
  const wrong = dns1123Subdomain(name)
  return wrong.length === 0 ? [] : [invalid(at, name, `authorizer name is invalid: ${wrong.join(', ')}`)]
}

function webhookPresence({ type, webhook }: WrittenAuthorizer, at: string): FieldError[] {
  if (type !== 'Webhook')
    return webhook === undefined ? [] : [invalid(`${at}.webhook`, 'non-null', 'may only be specified when type=Webhook')]
  return webhook === undefined ? [required(`${at}.webhook`, 'required when type=Webhook')] : webhookFaults(webhook, at)
}

/** As upstream, `webhook` is missing in these paths. */
function webhookFaults(webhook: WrittenWebhook, at: string): FieldError[] {
  return [
    ...timeFaults(durationMs(webhook.timeout), 'must be > 0s and <= 30s', `${at}.timeout`, 30_000),
    ...timeFaults(durationMs(webhook.authorizedTTL, AUTHORIZED_TTL_MS), 'must be > 0s', `${at}.authorizedTTL`),
    ...timeFaults(durationMs(webhook.unauthorizedTTL, UNAUTHORIZED_TTL_MS), 'must be > 0s', `${at}.unauthorizedTTL`),
    ...oneOf(webhook.subjectAccessReviewVersion, ['v1', 'v1beta1'], `${at}.subjectAccessReviewVersion`),
    ...conditionVersionFaults(webhook, `${at}.matchConditionSubjectAccessReviewVersion`),
    ...oneOf(webhook.failurePolicy, ['NoOpinion', 'Deny'], `${at}.failurePolicy`),
    ...connectionFaults(webhook.connectionInfo ?? {}, `${at}.connectionInfo`),
    ...compileConditions(webhook, at).faults,
  ]
}

function timeFaults(ms: number, must: string, at: string, mostMs = Number.POSITIVE_INFINITY): FieldError[] {
  if (ms === 0) return [required(at)]
  return ms < 0 || ms > mostMs ? [invalid(at, showGoDuration(ms), must)] : []
}

function oneOf(value: string | undefined, known: readonly string[], at: string): FieldError[] {
  if (!value) return [required(at)]
  return known.includes(value) ? [] : [notSupported(at, value, known)]
}

function conditionVersionFaults({ matchConditionSubjectAccessReviewVersion: version, matchConditions = [] }: WrittenWebhook, at: string) {
  if (version) return oneOf(version, ['v1'], at)
  return matchConditions.length === 0 ? [] : [required(at, 'required if match conditions are specified')]
}

const CONNECTIONS = ['InClusterConfig', 'KubeConfigFile']

function connectionFaults({ type = '', kubeConfigFile }: NonNullable<WrittenWebhook['connectionInfo']>, at: string): FieldError[] {
  const file = `${at}.kubeConfigFile`
  switch (type) {
    case '':
      return [required(`${at}.type`)]
    case 'InClusterConfig':
      return kubeConfigFile === undefined ? [] : [invalid(file, kubeConfigFile, 'can only be set when type=KubeConfigFile')]
    case 'KubeConfigFile': {
      if (!kubeConfigFile) return [required(file)]
      if (!path.isAbsolute(kubeConfigFile)) return [invalid(file, kubeConfigFile, 'must be an absolute path')]
      const wrong = fileFault(kubeConfigFile)
      return wrong === undefined ? [] : [invalid(file, kubeConfigFile, wrong)]
    }
    default:
      return [notSupported(`${at}.type`, { Type: type, KubeConfigFile: kubeConfigFile ?? null }, CONNECTIONS)]
  }
}

function fileFault(file: string): string | undefined {
  try {
    return statSync(file).isFile() ? undefined : 'must be a regular file'
  } catch (error) {
    return `error loading file: stat ${file}: ${whyUnreadable(error)}`
  }
}

const MOST_CONDITIONS = 64

/** Compiles the conditions of a webhook; returns the programs and the faults. */
export function compileConditions({ matchConditions = [] }: WrittenWebhook, at: string) {
  const faults: FieldError[] = []
  const conditions: MatchCondition[] = []
  if (matchConditions.length > MOST_CONDITIONS)
    return { conditions, faults: [tooMany(`${at}.matchConditions`, matchConditions.length, MOST_CONDITIONS)] }
  const seen = new Set<string>()
  for (const [i, { expression = '' }] of matchConditions.entries()) {
    const where = `${at}.matchConditions[${i}].expression`
    if (expression.trim() === '') faults.push(required(where))
    else if (seen.has(expression)) faults.push(duplicate(where, expression))
    else {
      seen.add(expression)
      const compiled = compileCondition(expression)
      if ('fault' in compiled) faults.push(compileFault(where, expression, compiled.fault))
      else conditions.push(compiled)
    }
  }
  return { conditions, faults }
}
