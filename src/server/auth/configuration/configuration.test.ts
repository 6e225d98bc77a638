import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  AuthenticationConfigurationError,
  checkAuthenticationConfiguration,
  checkIssuers,
  readAuthenticationConfiguration,
} from './load-configuration.ts'
import { jwtOfFlags } from './oidc-flags.ts'

const HEAD = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' }
const jwt = (more: object = {}, issuer: object = {}) => ({
  issuer: { url: 'https://issuer.example.com', audiences: ['a'], ...issuer },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
  ...more,
})
const said = (text: string | object) => {
  try {
    const configuration = readAuthenticationConfiguration(typeof text === 'string' ? text : JSON.stringify(text))
    checkAuthenticationConfiguration(configuration)
    checkIssuers(configuration, ['https://kubernetes.default.svc'])
    return 'fine'
  } catch (error) {
    if (!(error instanceof AuthenticationConfigurationError)) throw error
    return error.message.replace('invalid authentication configuration: jwt[0].', '')
  }
}
const mapping = (more: object) => jwt({ claimMappings: { username: { claim: 'sub', prefix: '' }, ...more } })
const rules = (...claimValidationRules: object[]) => jwt({ claimValidationRules })

const ISSUER = 'issuer.url: Invalid value: '
const faults: readonly (readonly [string, string | object, string])[] = [
  ['nothing', '', 'empty config data'],
  [
    'no configuration',
    'this is none',
    `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  ],
  [
    'another version',
    { ...HEAD, apiVersion: 'apiserver.config.k8s.io/v9' },
    'no kind "AuthenticationConfiguration" is registered for version "apiserver.config.k8s.io/v9" in scheme "pkg/runtime/scheme.go:111"',
  ],
  ['an unknown field', { ...HEAD, other: 1 }, 'strict decoding error: unknown field "other"'],
  [
    'a field twice',
    `{"apiVersion":"${HEAD.apiVersion}","kind":"${HEAD.kind}","jwt":[],"jwt":[]}`,
    'strict decoding error: duplicate field "jwt"',
  ],
  ['YAML', `apiVersion: ${HEAD.apiVersion}\nkind: ${HEAD.kind}\njwt: []\n`, 'fine'],
  ['an older version', { ...HEAD, apiVersion: 'apiserver.config.k8s.io/v1beta1' }, 'fine'],
]
for (const [name, text, expected] of faults)
  test(`a file is read as Kubernetes reads it: ${name}`, () => assert.equal(said(text), expected))

const judged: readonly (readonly [string, object, string])[] = [
  ['all is well', jwt(), 'fine'],
  ['plain http', jwt({}, { url: 'http://issuer.example.com' }), `${ISSUER}"http://issuer.example.com": URL scheme must be https`],
  [
    'a user in the URL',
    jwt({}, { url: 'https://u@issuer.example.com' }),
    `${ISSUER}"https://u@issuer.example.com": URL must not contain a username or password`,
  ],
  [
    'a query',
    jwt({}, { url: 'https://issuer.example.com?a=b' }),
    `${ISSUER}"https://issuer.example.com?a=b": URL must not contain a query`,
  ],
  [
    'a fragment',
    jwt({}, { url: 'https://issuer.example.com#x' }),
    `${ISSUER}"https://issuer.example.com#x": URL must not contain a fragment`,
  ],
  [
    'a blank in the host',
    jwt({}, { url: 'https://a b' }),
    `${ISSUER}"https://a b": parse "https://a b": invalid character " " in host name`,
  ],
  [
    'the server itself',
    jwt({}, { url: 'https://kubernetes.default.svc' }),
    `${ISSUER}"https://kubernetes.default.svc": URL must not overlap with disallowed issuers: [https://kubernetes.default.svc]`,
  ],
  [
    'two audiences',
    jwt({}, { audiences: ['a', 'b'] }),
    'issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences',
  ],
  [
    'an authority that is none',
    jwt({}, { certificateAuthority: 'x' }),
    'issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates',
  ],
  ['egress', jwt({}, { egressSelectorType: 'cluster' }), 'oidc: egress lookup required with egress selector type "cluster"'],
  ['no username', jwt({ claimMappings: {} }), 'claimMappings.username: Required value: claim or expression is required'],
  [
    'no prefix',
    jwt({ claimMappings: { username: { claim: 'sub' } } }),
    'claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing',
  ],
  [
    'a broken expression',
    mapping({ uid: { expression: 'claims.' } }),
    'claimMappings.uid.expression: Invalid value: "claims.": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input \'.\'\n | claims.\n | .......^',
  ],
  [
    'a macro over any',
    mapping({ uid: { expression: 'claims.x.map(r, r)' } }),
    'claimMappings.uid.expression: Invalid value: "claims.x.map(r, r)": compilation failed: ERROR: <input>:1:7: expression of type \'any\' cannot be range of a comprehension (must be list, map, or dynamic)\n | claims.x.map(r, r)\n | ......^',
  ],
  ['a macro over dyn', mapping({ uid: { expression: 'dyn(claims.x).map(r, r)' } }), 'fine'],
  ['fields and functions of any', rules({ expression: "claims.a.b == 'x' && claims.c.startsWith('y')" }), 'fine'],
  [
    'a key of Kubernetes',
    mapping({ extra: [{ key: 'a.k8s.io/foo', valueExpression: 'claims.a' }] }),
    'claimMappings.extra[0].key: Invalid value: "a.k8s.io/foo": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
  ],
  [
    'a rule that is no bool',
    rules({ expression: 'claims.a' }),
    'claimValidationRules[0].expression: Invalid value: "claims.a": must evaluate to bool',
  ],
  [
    'a rule with both',
    rules({ claim: 'a', expression: 'true' }),
    'claimValidationRules[0]: Invalid value: "a": claim and expression can\'t both be set',
  ],
  [
    'a rule of users by claims',
    jwt({ userValidationRules: [{ expression: 'user.nothing == "x"' }] }),
    'userValidationRules[0].expression: Invalid value: "user.nothing == \\"x\\"": compilation failed: ERROR: <input>:1:5: undefined field \'nothing\'\n | user.nothing == "x"\n | ....^',
  ],
  [
    'a mail without its verification',
    jwt({ claimMappings: { username: { expression: 'claims.email' } } }),
    'claimMappings.username.expression: Invalid value: "claims.email": claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
  ],
  [
    'a mail with its verification',
    jwt({
      claimMappings: { username: { expression: 'claims.?email.orValue("")' } },
      claimValidationRules: [{ expression: 'claims.?email_verified.orValue(true) == true' }],
    }),
    'fine',
  ],
]
for (const [name, one, expected] of judged)
  test(`an issuer is validated: ${name}`, () => assert.equal(said({ ...HEAD, jwt: [one] }), expected))

test('all faults are reported at once, duplicates included', () => {
  assert.equal(
    said({ ...HEAD, jwt: [{ issuer: { url: 'http://x' }, claimMappings: {} }] }),
    'invalid authentication configuration: [jwt[0].issuer.url: Invalid value: "http://x": URL scheme must be https, jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required, jwt[0].claimMappings.username: Required value: claim or expression is required]',
  )
  assert.match(said({ ...HEAD, jwt: [jwt(), jwt()] }), /jwt\[1\]\.issuer\.url: Duplicate value: "https:\/\/issuer\.example\.com"$/)
  assert.match(said({ ...HEAD, jwt: Array(65).fill(jwt()) }), /jwt: Too many: 65: must have at most 64 items$/)
  assert.match(
    said({ ...HEAD, anonymous: { enabled: false, conditions: [{ path: '/livez' }] } }),
    /anonymous\.conditions: Invalid value: \[\{"Path":"\/livez"\}\]: enabled should be set to true when conditions are defined$/,
  )
})

test('no text makes the reader fail otherwise than by an error of its own', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void said(text)))
  fc.assert(fc.property(fc.jsonValue(), (value) => void said({ ...HEAD, jwt: [jwt({}, value as object)] })))
  fc.assert(
    fc.property(
      fc.webUrl(),
      fc.string(),
      (url, expression) => void said({ ...HEAD, jwt: [jwt({ claimValidationRules: [{ expression }] }, { url })] }),
    ),
  )
})

test('the flags give an issuer with their usual prefixes', () => {
  const flags = {
    issuerUrl: 'https://i',
    clientId: 'c',
    ca: '',
    usernameClaim: 'sub',
    usernamePrefix: '',
    groupsClaim: '',
    groupsPrefix: '',
    requiredClaims: new Map([['hd', 'x']]),
  }
  const prefix = (more: object) => jwtOfFlags({ ...flags, ...more }).claimMappings.username.prefix
  assert.deepEqual(
    [prefix({}), prefix({ usernameClaim: 'email' }), prefix({ usernamePrefix: '-' }), prefix({ usernamePrefix: 'o:' })],
    ['https://i#', '', '', 'o:'],
  )
  assert.deepEqual(jwtOfFlags(flags).claimValidationRules, [{ claim: 'hd', requiredValue: 'x', expression: '', message: '' }])
})
