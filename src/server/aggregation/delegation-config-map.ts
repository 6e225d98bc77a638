import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { Clock } from '../../base/clock.ts'
import type { LiveText } from '../../base/live-text.ts'
import type { Logger } from '../../base/logger.ts'
import type { Transport } from '../../machinery/api-call.ts'
import { equalJson } from '../../machinery/equal.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { readObject } from '../../resources/read-objects.ts'
import { CONFIG_MAPS } from '../../resources/refs.ts'
import type { AggregationOptions } from '../options/aggregation.ts'

/** What an aggregated server needs to authenticate this server as a front proxy, and clients. */
export interface DelegationConfig {
  readonly clientCa: LiveText | undefined
  /** Undefined: there is no front proxy. */
  readonly frontProxy: AggregationOptions['frontProxy']
}

const PLACE = { group: '', version: 'v1', resource: 'configmaps', namespace: 'kube-system' } as const
const NAME = 'extension-apiserver-authentication'
/** The interval of checks. */
const RESYNC_MS = 60_000

const LISTS = {
  'requestheader-allowed-names': 'allowedNames',
  'requestheader-username-headers': 'userHeaders',
  'requestheader-uid-headers': 'uidHeaders',
  'requestheader-group-headers': 'groupHeaders',
  'requestheader-extra-headers-prefix': 'extraPrefixes',
} as const

/**
 * The data of the config map: the present data and that of this server, so that servers of one cluster with different flags do not fight.
 * Unknown keys are dropped.
 */
export function delegationData(config: DelegationConfig, present: Readonly<Record<string, string>> = {}): Record<string, string> {
  const data: Record<string, string> = {}
  const ca = joinedPem(present['client-ca-file'], config.clientCa?.current())
  if (ca !== undefined) data['client-ca-file'] = ca
  const { frontProxy } = config
  if (frontProxy === undefined) return data
  const front = joinedPem(present['requestheader-client-ca-file'], frontProxy.ca.current())
  if (front !== undefined) data['requestheader-client-ca-file'] = front
  for (const [key, field] of Object.entries(LISTS) as [keyof typeof LISTS, (typeof LISTS)[keyof typeof LISTS]][]) {
    const joined = union(listOf(present[key]), frontProxy[field])
    // Without UID headers the key is absent.
    if (joined.length > 0 || key !== 'requestheader-uid-headers') data[key] = JSON.stringify(joined)
  }
  return data
}

const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])]

function listOf(text: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter((v) => typeof v === 'string') : []
  } catch {
    return []
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\r?\n?/g

/** The certificates of both, without duplicates. */
function joinedPem(present: string | undefined, own: string | undefined): string | undefined {
  if (own === undefined) return present === undefined || present === '' ? undefined : present
  const bare = (text: string) => text.replaceAll(/\s/g, '')
  const there = present ?? ''
  const missing = (own.match(CERTIFICATE) ?? []).filter((one) => !bare(there).includes(bare(one)))
  if (there === '') return own
  return missing.length === 0 ? there : `${there.replace(/\n?$/, '\n')}${missing.join('')}`
}

export interface DelegationDeps {
  readonly watchCache: Pick<WatchCache, 'reader' | 'onChange'>
  readonly transport: () => Transport
  readonly clock: Clock
  readonly log: Logger
}

/** Maintains the config map; `start` writes it the first time. */
export class DelegationConfigMap implements AsyncDisposable {
  readonly #config: DelegationConfig
  readonly #deps: DelegationDeps
  #cancel = () => {}
  #closed = false
  #writing: Promise<void> = Promise.resolve()

  constructor(config: DelegationConfig, deps: DelegationDeps) {
    this.#config = config
    this.#deps = deps
  }

  async start(): Promise<void> {
    this.#writing = this.#keep().catch((error: unknown) => this.#deps.log.warn(`the config map ${NAME} could not be written`, { error }))
    await this.#writing
    if (!this.#closed) this.#cancel = this.#deps.clock.after(RESYNC_MS, () => void this.start(), 'heartbeat')
  }

  async #keep(): Promise<void> {
    const { watchCache, transport } = this.#deps
    if (this.#config.clientCa === undefined && this.#config.frontProxy === undefined) return
    const present = readObject(watchCache.reader, CONFIG_MAPS, PLACE.namespace, NAME)
    const held = present?.data ?? {}
    const data = delegationData(this.#config, held)
    const query = { fieldManager: 'kube-apiserver' }
    try {
      if (present === undefined) {
        const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: NAME, namespace: PLACE.namespace }, data } as KubeObject
        await transport().call({ verb: 'create', target: PLACE, query, body })
        return
      }
      if (equalJson(held, data)) return
      const dropped = Object.fromEntries(Object.keys(held).map((key) => [key, null]))
      const body: JsonObject = { data: { ...dropped, ...data } }
      await transport().call({ verb: 'patch', target: { ...PLACE, name: NAME }, query, patchType: 'merge', body })
    } catch (error) {
      // Another server of the cluster was faster: the next check finds what is missing.
      if (!isStatus(error, 'AlreadyExists') && !isStatus(error, 'NotFound')) throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#cancel()
    await this.#writing
  }
}
