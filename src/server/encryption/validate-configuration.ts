import { child, type FieldError, index, invalid, required } from '../../machinery/field-error.ts'
import type { EncryptionConfiguration, EncryptionKey, ProviderConfiguration } from './encryption-configuration.ts'
import { ANY, isSame, parseGroupResource } from './group-resource-pattern.ts'
import { kmsFaults } from './validate-kms.ts'

const AES_KEY_BYTES = [16, 24, 32]
const SECRETBOX_KEY_BYTES = [32]

/** All faults of a configuration, in upstream's order and words. `reloads`: the file is read again when it changes. */
export function validateEncryptionConfiguration({ resources }: EncryptionConfiguration, reloads: boolean): FieldError[] {
  if (resources.length === 0) return [atLeastOne('resources', 'resources')]
  const kmsNames = new Set<string>()
  return resources.flatMap(({ resources: names, providers }, i) => {
    const path = index('resources', i)
    const [namesPath, providersPath] = [child(path, 'resources'), child(path, 'providers')]
    return [
      ...(names.length === 0 ? [atLeastOne(namesPath, namesPath)] : []),
      ...overlapFaults(names, namesPath),
      ...names.flatMap((name, j) => nameFault(name, index(namesPath, j)) ?? []),
      ...(providers.length === 0 ? [atLeastOne(providersPath, providersPath)] : []),
      ...providers.flatMap((provider, j) => providerFaults(provider, index(providersPath, j), { kmsNames, reloads })),
    ]
  })
}

const atLeastOne = (path: string, what: string) => required(path, `at least one ${what} is required`)

function overlapFaults(names: readonly string[], path: string): FieldError[] {
  const all = names.map(parseGroupResource)
  const pairs = all.flatMap((a, i) => all.filter((_, j) => i !== j).map((b) => [a, b] as const))
  const twice = pairs.some(([a, b]) => isSame(a, b))
  const masked = pairs.some(([a, b]) => isSame(a, ANY) || (a.group === b.group && (a.resource === '*' || b.resource === '*')))
  return [
    ...(twice ? [invalid(path, names, 'the same resource cannot be specified multiple times')] : []),
    ...(masked
      ? [
          invalid(
            path,
            names,
            "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
          ),
        ]
      : []),
  ]
}

/** What kube-apiserver keeps in etcd without an API. */
const WITHOUT_API: ReadonlySet<string> = new Set(['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'])

function nameFault(name: string, path: string): FieldError | undefined {
  const { group, resource } = parseGroupResource(name)
  const because = (detail: string) => invalid(path, name, detail)
  if (name.toLowerCase() !== name) return because('resource name should not contain capital letters')
  if (name === '*') return because("use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources")
  if (WITHOUT_API.has(name)) return because('resources which do not have REST API/s cannot be encrypted')
  if (group === 'events.k8s.io')
    return because("'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file")
  if (group === 'extensions') return because("'extensions' group has been removed and cannot be used for encryption")
  if (group === '*' && resource !== '*') return because('encrypting the same resource across groups is not supported')
  return undefined
}

function providerFaults(
  provider: ProviderConfiguration,
  path: string,
  deps: { readonly kmsNames: Set<string>; readonly reloads: boolean },
): FieldError[] {
  const { kms, aesgcm, aescbc, secretbox } = provider
  const faults: FieldError[] = []
  const count = Object.keys(provider).length
  if (count === 0) faults.push(invalid(path, shown(provider), NONE))
  if (count > 1) faults.push(invalid(path, shown(provider), SEVERAL))
  // Of several providers upstream checks one, in this order.
  if (kms !== undefined) {
    faults.push(...kmsFaults(kms, child(path, 'kms'), deps))
    deps.kmsNames.add(kms.name)
  } else if (aesgcm !== undefined) faults.push(...keysFaults(aesgcm, child(path, 'aesgcm', 'keys'), AES_KEY_BYTES))
  else if (aescbc !== undefined) faults.push(...keysFaults(aescbc, child(path, 'aescbc', 'keys'), AES_KEY_BYTES))
  else if (secretbox !== undefined) faults.push(...keysFaults(secretbox, child(path, 'secretbox', 'keys'), SECRETBOX_KEY_BYTES))
  return faults
}

const NONE = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity'
const SEVERAL = 'more than one provider specified in a single element, should split into different list elements'

/** A provider as Go prints its internal type. */
function shown({ aesgcm, aescbc, secretbox, identity, kms }: ProviderConfiguration): unknown {
  const keys = (list: readonly EncryptionKey[] | undefined) =>
    list === undefined ? null : { Keys: list.length === 0 ? null : list.map(({ name, secret }) => ({ Name: name, Secret: secret })) }
  return {
    AESGCM: keys(aesgcm),
    AESCBC: keys(aescbc),
    Secretbox: keys(secretbox),
    Identity: identity ?? null,
    KMS:
      kms === undefined
        ? null
        : {
            APIVersion: kms.apiVersion,
            Name: kms.name,
            CacheSize: kms.cachesize ?? null,
            Endpoint: kms.endpoint,
            Timeout: kms.timeout,
          },
  }
}

function keysFaults(keys: readonly EncryptionKey[], path: string, lengths: readonly number[]): FieldError[] {
  if (keys.length === 0) return [atLeastOne(path, 'keys')]
  return keys.flatMap(({ name, secret }, i) => [
    ...(name === '' ? [required(child(index(path, i), 'name'), 'name is a mandatory field for a key')] : []),
    ...secretFaults(secret, child(index(path, i), 'secret'), lengths),
  ])
}

function secretFaults(secret: string, path: string, lengths: readonly number[]): FieldError[] {
  if (secret === '') return [required(path, 'secret is a mandatory field for a key')]
  const bytes = decodeSecret(secret)
  if (bytes === undefined) return [invalid(path, 'REDACTED', 'secrets must be base64 encoded')]
  if (lengths.includes(bytes.length)) return []
  return [invalid(path, 'REDACTED', `secret is not of the expected length, got ${bytes.length}, expected one of [${lengths.join(' ')}]`)]
}

/** The bytes of a secret; undefined if Go's decoder refuses the text. It skips line ends. */
export function decodeSecret(text: string): Buffer | undefined {
  const joined = text.replaceAll(/[\r\n]/g, '')
  return joined.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(joined) ? Buffer.from(joined, 'base64') : undefined
}
