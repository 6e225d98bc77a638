import { withoutTrailing } from '../../../base/without-trailing.ts'
import { child, duplicate, type FieldError, goQuote, index, invalid, required, tooMany } from '../../../machinery/field-error.ts'
import { parseRequestUri, UrlError } from '../../../machinery/go/go-url.ts'
import { compileFault } from '../../../machinery/validation/compile-fault.ts'
import { validateDomainPrefixedPath } from '../../../machinery/validation/domain-name.ts'
import { bundleFaultOf } from '../../../machinery/x509/bundle-fault.ts'
import type {
  AuthenticationConfiguration,
  ClaimOrExpression,
  IssuerConfig,
  JwtConfig,
  UserValidationRule,
} from './authentication-configuration.ts'
import { type ClaimProgram, compileClaimExpression, type JwtPrograms, type RuleProgram, usesClaim } from './claim-programs.ts'

/** The most issuers of one server. */
const MOST_ISSUERS = 64

/** Validates a configuration; each fault has its path. `disallowed`: the issuers of this server's own tokens. */
export function validateAuthenticationConfiguration(config: AuthenticationConfiguration): readonly FieldError[] {
  if (config.jwt.length > MOST_ISSUERS) return [tooMany('jwt', config.jwt.length, MOST_ISSUERS)]
  const seen = { issuers: new Set<string>(), discovery: new Set<string>() }
  const faults = config.jwt.flatMap((jwt, i) => {
    const path = child(index('jwt', i), 'issuer')
    const found = [...compileJwt(jwt, index('jwt', i)).faults]
    const { url, discoveryURL } = jwt.issuer
    if (seen.issuers.has(url)) found.push(duplicate(child(path, 'url'), url))
    seen.issuers.add(url)
    if (discoveryURL !== '' && seen.discovery.has(discoveryURL)) found.push(duplicate(child(path, 'discoveryURL'), discoveryURL))
    seen.discovery.add(discoveryURL)
    return found
  })
  const { anonymous } = config
  if (anonymous !== undefined && !anonymous.enabled && anonymous.conditions.length > 0) {
    const shown = anonymous.conditions.map(({ path }) => ({ Path: path }))
    faults.push(invalid('anonymous.conditions', shown, 'enabled should be set to true when conditions are defined'))
  }
  return faults
}

export interface CompiledJwt {
  readonly faults: readonly FieldError[]
  /** The compiled programs; complete if there are no faults. */
  readonly programs: JwtPrograms
}

/**
 * Validates one authenticator and compiles its expressions. `path` is empty for a single authenticator; `disallowed`: issuers that it may
 * not have.
 */
export function compileJwt(jwt: JwtConfig, path: string, disallowed: readonly string[] = []): CompiledJwt {
  const at = (...names: [string, ...string[]]) => names.reduce((p, name) => (p === '' ? name : child(p, name)), path)
  const faults: FieldError[] = [...issuerFaults(jwt.issuer, at('issuer'), disallowed)]
  const { claimRules, ...rules } = compileClaimRules(jwt, at('claimValidationRules'))
  faults.push(...rules.faults)
  const mappings = compileMappings(jwt, at('claimMappings'), claimRules)
  faults.push(...mappings.faults)
  const user = compileUserRules(jwt.userValidationRules, at('userValidationRules'))
  faults.push(...user.faults)
  return { faults, programs: { ...mappings.programs, claimRules, userRules: user.userRules } }
}

function issuerFaults(issuer: IssuerConfig, path: string, disallowed: readonly string[]): FieldError[] {
  const faults: FieldError[] = []
  const { url, discoveryURL, certificateAuthority } = issuer
  if (url === '') faults.push(required(child(path, 'url')))
  else faults.push(...urlFaults(url, child(path, 'url'), disallowed))
  if (discoveryURL !== '') {
    if (url !== '' && withoutTrailing(url, '/') === withoutTrailing(discoveryURL, '/')) {
      faults.push(invalid(child(path, 'discoveryURL'), discoveryURL, 'discoveryURL must be different from URL'))
    }
    faults.push(...urlFaults(discoveryURL, child(path, 'discoveryURL'), []))
  }
  faults.push(...audienceFaults(issuer, path))
  const bundleFault = certificateAuthority === '' ? undefined : bundleFaultOf(certificateAuthority)
  if (bundleFault !== undefined) faults.push(invalid(child(path, 'certificateAuthority'), '<omitted>', bundleFault))
  const { egressSelectorType } = issuer
  if (egressSelectorType !== '' && egressSelectorType !== 'controlplane' && egressSelectorType !== 'cluster') {
    faults.push(invalid(child(path, 'egressSelectorType'), egressSelectorType, 'egress selector must be either controlplane or cluster'))
  }
  return faults
}

function urlFaults(text: string, path: string, disallowed: readonly string[]): FieldError[] {
  const faults: FieldError[] = []
  const wrong = (why: string) => faults.push(invalid(path, text, why))
  if (disallowed.includes(text)) wrong(`URL must not overlap with disallowed issuers: [${[...disallowed].sort().join(' ')}]`)
  const [body = '', ...fragment] = text.split('#')
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(body)?.[1]?.toLowerCase()
  if (scheme !== undefined) {
    try {
      parseRequestUri(body)
    } catch (error) {
      if (!(error instanceof UrlError)) throw error
      wrong(`parse ${goQuote(text)}: ${error.message}`)
      return faults
    }
  } else if (body.startsWith(':')) {
    wrong(`parse ${goQuote(text)}: missing protocol scheme`)
    return faults
  }
  if (scheme !== 'https') wrong('URL scheme must be https')
  const authority = /^[^:]+:\/\/([^/?]*)/.exec(body)?.[1] ?? ''
  if (authority.includes('@')) wrong('URL must not contain a username or password')
  if (/\?./s.test(body)) wrong('URL must not contain a query')
  if (fragment.join('#') !== '') wrong('URL must not contain a fragment')
  return faults
}

function audienceFaults({ audiences, audienceMatchPolicy }: IssuerConfig, path: string): FieldError[] {
  const at = child(path, 'audiences')
  if (audiences.length === 0) return [required(at, `at least one ${at} is required`)]
  const faults: FieldError[] = []
  audiences.forEach((audience, i) => {
    if (audience === '') faults.push(required(index(at, i)))
    if (audiences.indexOf(audience) < i) faults.push(duplicate(index(at, i), audience))
  })
  const wrong = (why: string) => faults.push(invalid(child(path, 'audienceMatchPolicy'), audienceMatchPolicy, why))
  if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny') wrong('audienceMatchPolicy must be MatchAny for multiple audiences')
  if (audiences.length === 1 && audienceMatchPolicy !== '' && audienceMatchPolicy !== 'MatchAny') {
    wrong('audienceMatchPolicy must be empty or MatchAny for single audience')
  }
  return faults
}

function compileClaimRules(jwt: JwtConfig, path: string) {
  const faults: FieldError[] = []
  const claimRules: RuleProgram[] = []
  const seen = { claims: new Set<string>(), expressions: new Set<string>() }
  jwt.claimValidationRules.forEach(({ claim, requiredValue, expression, message }, i) => {
    const at = index(path, i)
    if (claim !== '' && expression !== '') faults.push(invalid(at, claim, "claim and expression can't both be set"))
    else if (claim !== '') {
      if (message !== '') faults.push(invalid(child(at, 'message'), message, 'may not be specified when claim is set'))
      if (seen.claims.has(claim)) faults.push(duplicate(child(at, 'claim'), claim))
      seen.claims.add(claim)
    } else if (expression !== '') {
      if (requiredValue !== '') {
        faults.push(invalid(child(at, 'requiredValue'), requiredValue, 'may not be specified when expression is set'))
      }
      if (seen.expressions.has(expression)) {
        faults.push(duplicate(child(at, 'expression'), expression))
        return
      }
      seen.expressions.add(expression)
      const { compiled, fault } = compileClaimExpression(expression, 'claims', 'bool')
      if (fault !== undefined) faults.push(compileFault(child(at, 'expression'), expression, fault))
      else claimRules.push({ ...compiled, message })
    } else faults.push(required(at, 'claim or expression is required'))
  })
  return { faults, claimRules }
}

function compileMappings({ claimMappings }: JwtConfig, path: string, claimRules: readonly ClaimProgram[]) {
  const username = compilePrefixed(claimMappings.username, child(path, 'username'), true)
  const groups = compilePrefixed(claimMappings.groups, child(path, 'groups'), false)
  const uid = compileUid(claimMappings.uid, child(path, 'uid'))
  const extra = compileExtra(claimMappings.extra, child(path, 'extra'))
  const faults = [...username.faults, ...groups.faults, ...uid.faults, ...extra.faults]
  const name = username.program
  const verifiers = [...(name === undefined ? [] : [name]), ...extra.programs, ...claimRules]
  if (name !== undefined && usesClaim(name, 'email') && !verifiers.some((p) => usesClaim(p, 'email_verified'))) {
    faults.push(invalid(child(path, 'username', 'expression'), claimMappings.username.expression, EMAIL_UNVERIFIED))
  }
  return { faults, programs: { username: name, groups: groups.program, uid: uid.program, extra: extra.programs } }
}

const EMAIL_UNVERIFIED =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression'

interface Mapping {
  readonly faults: readonly FieldError[]
  readonly program: ClaimProgram | undefined
}

function compilePrefixed({ claim, expression, prefix }: ClaimOrExpression, path: string, isRequired: boolean): Mapping {
  const none = (...faults: FieldError[]): Mapping => ({ faults, program: undefined })
  if (expression !== '' && claim !== '') return none(invalid(path, '', "claim and expression can't both be set"))
  if (expression === '' && claim === '') return isRequired ? none(required(path, 'claim or expression is required')) : none()
  if (claim !== '') {
    const why = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing'
    return prefix === undefined ? none(required(child(path, 'prefix'), why)) : none()
  }
  const faults = prefix === undefined ? [] : [invalid(child(path, 'prefix'), prefix, 'may not be specified when expression is set')]
  const { compiled, fault } = compileClaimExpression(expression, 'claims', 'any')
  if (fault !== undefined) faults.push(compileFault(child(path, 'expression'), expression, fault))
  return { faults, program: faults.length === 0 ? compiled : undefined }
}

function compileUid({ claim, expression }: ClaimOrExpression, path: string): Mapping {
  if (claim !== '' && expression !== '') {
    return { faults: [invalid(path, '', "claim and expression can't both be set")], program: undefined }
  }
  if (expression === '') return { faults: [], program: undefined }
  const { compiled, fault } = compileClaimExpression(expression, 'claims', 'any')
  return { faults: fault === undefined ? [] : [compileFault(child(path, 'expression'), expression, fault)], program: compiled }
}

function compileExtra(extra: JwtConfig['claimMappings']['extra'], path: string) {
  const faults: FieldError[] = []
  const programs: (ClaimProgram & { readonly key: string })[] = []
  const seen = new Set<string>()
  extra.forEach(({ key, valueExpression }, i) => {
    const at = child(index(path, i), 'key')
    faults.push(...validateDomainPrefixedPath(at, key))
    if (key !== key.toLowerCase()) faults.push(invalid(at, key, 'must be lowercase'))
    const domain = key.includes('/') ? (key.split('/')[0] ?? '') : ''
    if (/^(.*\.)?(kubernetes|k8s)\.io$/.test(domain)) {
      faults.push(invalid(at, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use'))
    }
    if (seen.has(key)) {
      faults.push(duplicate(at, key))
      return
    }
    seen.add(key)
    const valueAt = child(index(path, i), 'valueExpression')
    if (valueExpression === '') {
      faults.push(required(valueAt))
      return
    }
    const { compiled, fault } = compileClaimExpression(valueExpression, 'claims', 'any')
    if (fault !== undefined) faults.push(compileFault(valueAt, valueExpression, fault))
    else programs.push({ ...compiled, key })
  })
  return { faults, programs }
}

function compileUserRules(rules: readonly UserValidationRule[], path: string) {
  const faults: FieldError[] = []
  const userRules: RuleProgram[] = []
  const seen = new Set<string>()
  rules.forEach(({ expression, message }, i) => {
    const at = child(index(path, i), 'expression')
    if (expression === '') faults.push(required(at))
    else if (seen.has(expression)) faults.push(duplicate(at, expression))
    else {
      const { compiled, fault } = compileClaimExpression(expression, 'user', 'bool')
      if (fault !== undefined) faults.push(compileFault(at, expression, fault))
      else userRules.push({ ...compiled, message })
    }
    seen.add(expression)
  })
  return { faults, userRules }
}
