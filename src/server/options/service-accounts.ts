import { createPrivateKey, createPublicKey } from 'node:crypto'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, duration, refused, stringArray, text } from '../../machinery/flags/kinds.ts'
import { pemBlocks } from '../../machinery/x509/pem.ts'
import type { ServiceAccountOptions } from '../auth/auth-options.ts'
import { optionFile } from '../option-file.ts'
import { OptionsError } from '../options-error.ts'

/** Service account tokens: issuers and keys. */
export const SERVICE_ACCOUNT_FLAGS = {
  'service-account-issuer': stringArray({
    help: 'the issuer of service account tokens; of several, the first issues, and all are accepted',
  }),
  'service-account-key-file': stringArray({ help: 'public or private keys that verify service account tokens' }),
  'service-account-signing-key-file': text('', { help: 'the private key that signs service account tokens' }),
  'service-account-signing-endpoint': text('', refused('tokens are signed by the server itself')),
  'service-account-jwks-uri': text('', { help: 'the URL of the public keys, if it is not that of the issuer' }),
  'service-account-lookup': bool(true, { help: 'reject tokens of accounts, pods, secrets or nodes that no longer exist' }),
  'service-account-max-token-expiration': duration(0, { help: 'the longest validity of a token' }),
  'service-account-extend-token-expiration': bool(true, {
    help: 'tokens of pods are valid for a year if their clients may not reload them',
  }),
}

type ServiceAccountValues = FlagValues<typeof SERVICE_ACCOUNT_FLAGS>

export function serviceAccountFaults({
  values,
  given,
}: {
  readonly values: ServiceAccountValues
  readonly given: ReadonlySet<string>
}): string[] {
  const faults: string[] = []
  const issuers = values['service-account-issuer']
  if (issuers.length === 0) faults.push('service-account-issuer is a required flag')
  if (issuers.includes('')) faults.push('service-account-issuer should not be an empty string')
  else if (new Set(issuers).size < issuers.length) faults.push('service-account-issuer values must be unique')
  if (values['service-account-key-file'].length === 0)
    faults.push('either `--service-account-key-file` or `--service-account-signing-endpoint` must be set')
  const noIssuer = issuers.length === 0 || issuers[0] === ''
  if (noIssuer && values['service-account-signing-key-file'] === '')
    faults.push('--service-account-signing-key-file and --service-account-issuer are required flags')
  else if (noIssuer !== (values['service-account-signing-key-file'] === ''))
    faults.push('--service-account-signing-key-file, --service-account-issuer, and --api-audiences should be specified together')
  if (given.has('service-account-max-token-expiration')) {
    const longest = values['service-account-max-token-expiration']
    if (longest < 3_600_000 || longest > 2 ** 32 * 1000)
      faults.push('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds')
  }
  return faults
}

export function readServiceAccounts({ values }: { readonly values: ServiceAccountValues }): ServiceAccountOptions {
  const signingFile = values['service-account-signing-key-file']
  return {
    issuers: values['service-account-issuer'],
    signingKey: signingKey(signingFile),
    publicKeys: values['service-account-key-file'].flatMap(publicKeys),
    jwksUri: values['service-account-jwks-uri'] || undefined,
    lookup: values['service-account-lookup'],
    maxExpirationMs: values['service-account-max-token-expiration'] || undefined,
    extendExpiration: values['service-account-extend-token-expiration'],
  }
}

function signingKey(file: string): string {
  const says = (error: string) => `failed to parse service-account-issuer-key-file: ${error}`
  const pem = optionFile(file, says).current()
  try {
    createPrivateKey(pem)
  } catch (cause) {
    throw new OptionsError(
      'bad-file',
      says(`error reading private key file ${file}: data does not contain a valid RSA or ECDSA private key`),
      { cause },
    )
  }
  return pem
}

function publicKeys(file: string): string[] {
  const text = optionFile(file).current()
  const blocks = pemBlocks(text)
  const keys = blocks.flatMap((block) => {
    try {
      return [createPublicKey(block.text).export({ type: 'spki', format: 'pem' }).toString()]
    } catch {
      return []
    }
  })
  if (keys.length === 0)
    throw new OptionsError('bad-file', `error reading public key file ${file}: data does not contain any valid RSA or ECDSA public keys`)
  return keys
}
