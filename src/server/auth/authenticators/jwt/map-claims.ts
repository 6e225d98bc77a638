import { messageOf } from '../../../../base/message-of.ts'
import { PER_CALL_LIMIT } from '../../../../machinery/cel/cost-limits.ts'
import { CostError } from '../../../../machinery/cel/plan/meter.ts'
import { celDynamic } from '../../../../machinery/cel/schema/cel-value.ts'
import { JsonMap } from '../../../../machinery/cel/schema/json-map.ts'
import { CelError, isList, isNativeStrings, type Value } from '../../../../machinery/cel/values.ts'
import { goQuote } from '../../../../machinery/field-error.ts'
import { goDecode } from '../../../../machinery/go/go-decode.ts'
import { type GoType, goBool, goString, listOf } from '../../../../machinery/go/go-type.ts'
import { isObject, type Json, type JsonObject } from '../../../../machinery/object.ts'
import type { UserInfo } from '../../../../machinery/resource/user.ts'
import type { JwtConfig } from '../../configuration/authentication-configuration.ts'
import type { ClaimProgram, JwtPrograms, RuleProgram } from '../../configuration/claim-programs.ts'
import { JwtError } from './jwt-error.ts'

/**
 * The user of verified claims, by the mappings and rules of the configuration. Throws Kubernetes' message for claims that do not give a
 * user.
 */
export function mapClaims(claims: JsonObject, jwt: JwtConfig, programs: JwtPrograms): UserInfo {
  const variables = { claims: claimValue(claims) }
  const evaluate = (program: ClaimProgram) => run(program, variables)
  const name = username(claims, jwt, programs.username, evaluate)
  const groups = groupsOf(claims, jwt, programs.groups, evaluate)
  const uid = uidOf(claims, jwt, programs.uid, evaluate)
  const extra = extraOf(claims, programs, evaluate)
  const user: UserInfo = { name, ...(uid === '' ? {} : { uid }), groups, ...(Object.keys(extra).length === 0 ? {} : { extra }) }
  checkRequired(claims, jwt)
  checkRules(programs.claimRules, 'oidc: error evaluating claim validation expression', evaluate)
  if (programs.userRules.length > 0) {
    const shown = celDynamic({ username: name, uid, groups: [...groups], extra })
    checkRules(programs.userRules, 'oidc: error evaluating user info validation rule', (program) => run(program, { user: shown }))
  }
  return user
}

/** Claims in CEL: every number is a double, as `encoding/json` decodes it. */
function claimValue(json: unknown): Value {
  if (typeof json === 'number' || typeof json === 'bigint') return Number(json)
  if (Array.isArray(json)) return json.map(claimValue)
  return isObject(json) ? new JsonMap(json, claimValue) : celDynamic(json)
}

type Evaluate = (program: ClaimProgram) => Value

function run({ source, program }: ClaimProgram, variables: Readonly<Record<string, Value>>): Value {
  try {
    return program.run(variables, { spent: 0, limit: PER_CALL_LIMIT })
  } catch (error) {
    if (error instanceof CelError || error instanceof CostError)
      throw new JwtError(`expression '${source}' resulted in error: ${error.message}`)
    throw error
  }
}

/** Prefixes errors with the path of the expression. */
function within<T>(where: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new JwtError(`${where}: ${messageOf(error)}`)
  }
}

function username(claims: JsonObject, { claimMappings }: JwtConfig, program: ClaimProgram | undefined, evaluate: Evaluate): string {
  if (program !== undefined) {
    const where = 'oidc: error evaluating username claim expression'
    const value = within(where, () => evaluate(program))
    if (typeof value !== 'string') throw new JwtError(`${where}: username claim expression must return a string`)
    if (value === '') throw new JwtError('oidc: empty username via CEL expression is not allowed')
    return value
  }
  const { claim, prefix = '' } = claimMappings.username
  const name = within(`oidc: parse username claims ${goQuote(claim)}`, () => claimText(claims, claim))
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified')) {
    const isVerified = within("oidc: parse 'email_verified' claim", () => decode(claims.email_verified, goBool) ?? false)
    if (isVerified !== true) throw new JwtError('oidc: email not verified')
  }
  return prefix + name
}

function groupsOf(
  claims: JsonObject,
  { claimMappings }: JwtConfig,
  program: ClaimProgram | undefined,
  evaluate: Evaluate,
): readonly string[] {
  const { claim, prefix = '' } = claimMappings.groups
  if (claim !== '' && Object.hasOwn(claims, claim)) {
    const groups = within(`oidc: parse groups claim ${goQuote(claim)}`, () => stringOrStrings(claims[claim] ?? null))
    return groups.map((group) => prefix + group)
  }
  if (program === undefined) return []
  return within('oidc: error evaluating group claim expression', () => stringsOf(evaluate(program)))
}

/** A list of strings, or a single one. Other values have Go's message for a string. */
function stringOrStrings(value: Json): readonly string[] {
  const list = goDecode(value, listOf(goString))
  if (list.fault === undefined) return (list.value as string[] | undefined) ?? []
  return [(decode(value, goString) as string | undefined) ?? '']
}

function uidOf(claims: JsonObject, { claimMappings }: JwtConfig, program: ClaimProgram | undefined, evaluate: Evaluate): string {
  const { claim } = claimMappings.uid
  if (claim !== '') return within(`oidc: parse uid claim ${goQuote(claim)}`, () => claimText(claims, claim))
  if (program === undefined) return ''
  const where = 'oidc: error evaluating uid claim expression'
  const value = within(where, () => evaluate(program))
  if (typeof value !== 'string') throw new JwtError(`${where}: uid claim expression must return a string`)
  return value
}

function extraOf(claims: JsonObject, programs: JwtPrograms, evaluate: Evaluate): Record<string, readonly string[]> {
  const extra: Record<string, readonly string[]> = Object.create(null)
  if (typeof claims.jti === 'string' && claims.jti !== '') extra['authentication.kubernetes.io/credential-id'] = [`JTI=${claims.jti}`]
  // All are evaluated before the first is checked.
  const values = programs.extra.map((program) => [program, evaluate(program)] as const)
  for (const [{ key, source }, value] of values) {
    const texts = within(`oidc: error evaluating extra claim expression: ${source}`, () => stringsOf(value))
    if (texts.length > 0) extra[key] = texts
  }
  return extra
}

/** A string, or a list of strings; empty ones are dropped. Lists that cel-go represents as Go slices are not accepted. */
function stringsOf(value: Value): readonly string[] {
  const failed = () => new Error('expression must return a string or a list of strings')
  if (value === null || value === '') return []
  if (typeof value === 'string') return [value]
  if (!isList(value) || isNativeStrings(value)) throw failed()
  return value
    .map((item) => {
      if (typeof item !== 'string') throw failed()
      return item
    })
    .filter((item) => item !== '')
}

function checkRequired(claims: JsonObject, { claimValidationRules }: JwtConfig): void {
  for (const { claim, requiredValue } of claimValidationRules) {
    if (claim === '') continue
    if (!Object.hasOwn(claims, claim)) throw new JwtError(`oidc: required claim ${claim} not present in ID token`)
    const value = within(`oidc: parse claim ${claim}`, () => claimText(claims, claim))
    if (value !== requiredValue) {
      throw new JwtError(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`)
    }
  }
}

function checkRules(rules: readonly RuleProgram[], where: string, evaluate: Evaluate): void {
  within(where, () => {
    const values = rules.map((rule) => [rule, evaluate(rule)] as const)
    for (const [{ source, message }, value] of values) {
      if (value !== true) throw new JwtError(`validation expression '${source}' failed: ${message}`)
    }
  })
}

function claimText(claims: JsonObject, name: string): string {
  if (!Object.hasOwn(claims, name)) throw new JwtError('claim not present')
  return (decode(claims[name], goString) as string | undefined) ?? ''
}

function decode(value: Json | undefined, type: GoType): Json | undefined {
  const { value: decoded, fault } = goDecode(value ?? null, type)
  if (fault !== undefined) throw new JwtError(fault)
  return decoded
}
