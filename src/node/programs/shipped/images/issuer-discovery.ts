import { constants, createPublicKey, type JsonWebKeyInput, verify } from 'node:crypto'
import { messageOf } from '../../../../base/message-of.ts'
import type { ContainerProcess, Program } from '../../program.ts'
import { readFlags } from './flags.ts'

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

interface Claims {
  readonly iss?: string
  readonly aud?: string | readonly string[]
  readonly exp?: number
  readonly nbf?: number
}

/** Parts of a token, in order. */
const decoded = (part: string | undefined): unknown => JSON.parse(Buffer.from(part ?? '', 'base64url').toString())

/**
 * `test-service-account-issuer-discovery`: reads a token and verifies it with nothing but what the token's issuer publishes: its
 * configuration, and the keys that this names.
 */
export const issuerDiscovery: Program = async (container) => {
  const flags = readFlags(container.args)
  const token = await container.files.readFile(flags.text('token-path'), 'utf8')
  container.log('OK: Got token')
  container.log('validating with in-cluster discovery')
  try {
    await validate(container, token, flags.text('audience'))
    return 0
  } catch (error) {
    container.log(`failed to validate with in-cluster discovery: ${messageOf(error)}`)
    return 1
  }
}

/** @throws {Error} that names the fault of the token, or of its issuer */
async function validate(container: ContainerProcess, token: string, audience: string): Promise<void> {
  const [head, body, signature = ''] = token.trim().split('.')
  const { alg, kid } = decoded(head) as { readonly alg?: string; readonly kid?: string }
  const { iss = '', aud = [], exp = 0, nbf = 0 } = decoded(body) as Claims
  container.log(`OK: got issuer ${iss}`)
  const bearer = await container.files.readFile(`${ACCOUNT}/token`, 'utf8')
  const read = async (url: string): Promise<unknown> => {
    const response = await container.fetch(url, { caFile: `${ACCOUNT}/ca.crt`, headers: { authorization: `Bearer ${bearer}` } })
    if (response.status !== 200) throw new Error(`${url}: ${response.status}: ${await response.text()}`)
    return response.json()
  }
  const configuration = (await read(`${iss.replace(/\/$/, '')}/.well-known/openid-configuration`)) as {
    readonly issuer?: string
    readonly jwks_uri?: string
  }
  if (configuration.issuer !== iss)
    throw new Error(`oidc: issuer did not match the issuer returned by provider, expected ${iss} got ${configuration.issuer}`)
  container.log(`OK: Constructed OIDC provider for issuer ${iss}`)
  const keys = (await read(configuration.jwks_uri ?? '')) as {
    readonly keys: readonly (JsonWebKeyInput['key'] & { readonly kid?: string })[]
  }
  if (alg !== 'RS256' && alg !== 'ES256') throw new Error(`oidc: id token signed with unsupported algorithm ${alg}`)
  const signed = Buffer.from(`${head}.${body}`)
  const proves = (jwk: JsonWebKeyInput['key']) => {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const how = alg === 'RS256' ? { key, padding: constants.RSA_PKCS1_PADDING } : ({ key, dsaEncoding: 'ieee-p1363' } as const)
    return verify('sha256', signed, how, Buffer.from(signature, 'base64url'))
  }
  if (!keys.keys.some((key) => (kid === undefined || key.kid === kid) && proves(key)))
    throw new Error('failed to verify id token signature')
  if (![aud].flat().includes(audience)) throw new Error(`oidc: expected audience "${audience}" got ${JSON.stringify(aud)}`)
  const nowSeconds = container.clock.now() / 1000
  if (exp < nowSeconds || nbf > nowSeconds + 300) throw new Error('oidc: token is expired, or not valid yet')
  container.log('OK: Validated signature on JWT')
  container.log('OK: Got valid claims from token!')
}
