import type { ResourceRef, Target } from '../../machinery/api-call.ts'
import { goQuote } from '../../machinery/field-error.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { compileMatcher, type MatcherSource } from '../../machinery/selectors/label-matcher.ts'
import { certificateBlocks } from '../../machinery/x509/certificates-of.ts'
import { listObjects, readObject } from '../../resources/read-objects.ts'
import { CLUSTER_TRUST_BUNDLES, CONFIG_MAPS, SECRETS } from '../../resources/refs.ts'
import type { ConfigMap, Secret } from '../../resources/types/core.ts'
import { type DownwardInput, fieldValue, resourceValue } from '../pod/spec/downward-api.ts'
import type { KeyedData } from '../pod/spec/references.ts'
import type { ConfigMapSource, DownwardFile, KeyToPath, ProjectedSource, TokenSource, VolumeSource } from './volume-types.ts'

/** A file of a volume. */
export interface PayloadFile {
  readonly bytes: Uint8Array
  readonly mode: number
  /** Its owner. Default: root. */
  readonly uid?: number
}

/** Files by their paths below the volume's root. */
export type Payload = ReadonlyMap<string, PayloadFile>

/** Why a volume cannot be set up; the message is Kubernetes'. */
export class VolumeError extends Error {
  override readonly name = 'VolumeError'
  readonly code = 'no-content'
}

/** The owner of the files, if the pod sets it: the user of all its containers, and its `fsGroup`. */
export interface VolumeOwner {
  readonly uid?: number
  readonly gid?: number
}

export interface PayloadInput extends DownwardInput {
  readonly namespace: string
  readonly objects: Reader
  readonly owner: VolumeOwner
  /** The current token of a source. */
  readonly token: (source: TokenSource) => string
}

const DEFAULT_MODE = 0o644

/** The files of a volume whose content comes from the API; undefined: the volume has no such content. Throws `VolumeError`. */
export function payloadOf(volume: VolumeSource, input: PayloadInput): Payload | undefined {
  const { configMap, secret, downwardAPI, projected } = volume
  if (configMap !== undefined) return keyed('configmap', configMap, { input, mode: configMap.defaultMode ?? DEFAULT_MODE })
  if (secret !== undefined) {
    const { secretName = '', defaultMode: mode = DEFAULT_MODE } = secret
    return keyed('secret', { ...secret, name: secretName }, { input, mode })
  }
  if (downwardAPI !== undefined) return downward(downwardAPI.items ?? [], { input, mode: downwardAPI.defaultMode ?? DEFAULT_MODE })
  if (projected === undefined) return undefined
  const from = { input, mode: projected.defaultMode ?? DEFAULT_MODE }
  // Of two entries with one path the last wins.
  return new Map((projected.sources ?? []).flatMap((source) => [...projectedFiles(source, from)]))
}

/** The objects that a volume's content comes from. */
export function referencesOf(volume: VolumeSource, namespace: string): readonly Target[] {
  const { configMap, secret, projected } = volume
  const named = (ref: ResourceRef, name = ''): Target => ({ ...ref, namespace, name })
  if (configMap !== undefined) return [named(CONFIG_MAPS, configMap.name)]
  if (secret !== undefined) return [named(SECRETS, secret.secretName)]
  return (projected?.sources ?? []).flatMap((source): readonly Target[] => {
    if (source.configMap !== undefined) return [named(CONFIG_MAPS, source.configMap.name)]
    if (source.secret !== undefined) return [named(SECRETS, source.secret.name)]
    return source.clusterTrustBundle === undefined ? [] : [CLUSTER_TRUST_BUNDLES]
  })
}

interface From {
  readonly input: PayloadInput
  readonly mode: number
}

function projectedFiles({ configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle }: ProjectedSource, from: From): Payload {
  if (configMap !== undefined) return keyed('configmap', configMap, from)
  if (secret !== undefined) return keyed('secret', secret, from)
  if (downwardAPI !== undefined) return downward(downwardAPI.items ?? [], from)
  if (serviceAccountToken !== undefined) {
    const { owner, token } = from.input
    // Only the processes of the pod may read it.
    const mode = owner.uid !== undefined || owner.gid !== undefined ? 0o600 : from.mode
    const bytes = Buffer.from(token(serviceAccountToken))
    return new Map([[serviceAccountToken.path, { bytes, mode, ...(owner.uid !== undefined && { uid: owner.uid }) }]])
  }
  if (clusterTrustBundle !== undefined) return trustBundle(clusterTrustBundle, from)
  return new Map()
}

function keyed(word: 'configmap' | 'secret', source: ConfigMapSource, { input, mode }: From): Payload {
  const { name = '', items, optional = false } = source
  const object = readObject<ConfigMap | Secret>(input.objects, word === 'secret' ? SECRETS : CONFIG_MAPS, input.namespace, name)
  if (object === undefined) {
    if (optional) return new Map()
    throw new VolumeError(`${word} "${name}" not found`)
  }
  const values = valuesOf(word, object)
  if (items === undefined || items.length === 0) return new Map([...values].map(([key, bytes]) => [pathIn(key), { bytes, mode }]))
  return new Map(items.flatMap((item) => keyToPath(item, { values, word, optional, mode })))
}

interface Keys {
  readonly values: ReadonlyMap<string, Uint8Array>
  readonly word: 'configmap' | 'secret'
  readonly optional: boolean
  readonly mode: number
}

function keyToPath({ key, path, mode: own }: KeyToPath, { values, word, optional, mode }: Keys): [string, PayloadFile][] {
  const bytes = values.get(key)
  if (bytes !== undefined) return [[pathIn(path), { bytes, mode: own ?? mode }]]
  if (optional) return []
  throw new VolumeError(
    word === 'secret' ? `references non-existent secret key: ${key}` : `configmap references non-existent config key: ${key}`,
  )
}

function valuesOf(word: 'configmap' | 'secret', object: KeyedData): ReadonlyMap<string, Uint8Array> {
  const values = new Map<string, Uint8Array>()
  const encoded = word === 'secret' ? object.data : object.binaryData
  if (word === 'configmap') for (const [key, text] of Object.entries(object.data ?? {})) values.set(key, Buffer.from(text))
  for (const [key, text] of Object.entries(encoded ?? {})) values.set(key, Buffer.from(text, 'base64'))
  return values
}

function downward(items: readonly DownwardFile[], { input, mode }: From): Payload {
  return new Map(items.map((item) => [pathIn(item.path), { bytes: Buffer.from(downwardText(item, input)), mode: item.mode ?? mode }]))
}

function downwardText({ fieldRef, resourceFieldRef }: DownwardFile, input: PayloadInput): string {
  if (resourceFieldRef !== undefined) {
    const amount = resourceValue(input, resourceFieldRef)
    if (amount === undefined) throw new VolumeError(`container ${resourceFieldRef.containerName} not found`)
    return amount
  }
  const path = fieldRef?.fieldPath ?? ''
  if (path === 'metadata.labels' || path === 'metadata.annotations')
    return pairs(input.pod.metadata[path === 'metadata.labels' ? 'labels' : 'annotations'] ?? {})
  const value = fieldValue(input, path)
  if (value === undefined) throw new VolumeError(`unsupported fieldPath: ${path}`)
  return value
}

/** As the kubelet writes maps: one line per entry, sorted, with quoted values. */
const pairs = (map: Readonly<Record<string, string>>) =>
  Object.keys(map)
    .sort()
    .map((key) => `${key}=${goQuote(map[key] ?? '')}`)
    .join('\n')

function trustBundle(source: NonNullable<ProjectedSource['clusterTrustBundle']>, { input, mode }: From): Payload {
  const { name, signerName, labelSelector, optional = false, path } = source
  const all = listObjects(input.objects, CLUSTER_TRUST_BUNDLES)
  const matches = compileMatcher(labelSelector as MatcherSource | undefined)
  const found = all.filter((b) =>
    name !== undefined ? b.metadata.name === name : b.spec?.signerName === signerName && matches(b.metadata.labels ?? {}),
  )
  if (found.length === 0 && !optional)
    throw new VolumeError(
      name === undefined ? `unable to fetch trust bundles for signer "${signerName}"` : `clustertrustbundle "${name}" not found`,
    )
  // Without duplicates; the order is unspecified.
  const certificates = new Set(found.flatMap((b) => certificateBlocks(b.spec?.trustBundle ?? '')))
  return one(path, Buffer.from([...certificates].map((pem) => `${pem}\n`).join('')), mode)
}

const one = (path: string, bytes: Uint8Array, mode: number): Payload => new Map([[pathIn(path), { bytes, mode }]])

const MOST_PATH = 4096

/** A path that stays inside the volume and does not collide with its internal entries. */
export function pathIn(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  const wrong =
    path === '' || path.startsWith('/') || path.length > MOST_PATH || parts.length === 0 || parts.includes('..') || path.includes('\0')
  if (wrong || parts[0]?.startsWith('..')) throw new VolumeError(`invalid path: ${JSON.stringify(path)} does not lie inside the volume`)
  return parts.join('/')
}
