import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import { KeyMutex } from '../../base/key-mutex.ts'
import type { Logger } from '../../base/logger.ts'
import type { Transport } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { type CustomResourceDefinition, DEFINITIONS } from '../../resources/apiextensions/types.ts'
import { localApiService } from '../bootstrap/api-services.ts'
import { API_SERVICES, type ApiService, type ApiServiceSpec, MANAGED, nameOf } from './api-service.ts'
import { CUSTOM_PRIORITY } from './api-service-table.ts'

export interface LocalApiServicesDeps {
  readonly watchCache: Pick<WatchCache, 'reader' | 'onChange'>
  readonly transport: () => Transport
  readonly log: Logger
}

/** The action for the APIService of a custom group version. */
export type LocalPlan = 'nothing' | 'create' | 'restore' | 'delete'

/** `wanted`: a definition serves the group version. APIServices that are not marked as managed are left alone. */
export function planLocal(wanted: boolean, present: ApiService | undefined): LocalPlan {
  if (present === undefined) return wanted ? 'create' : 'nothing'
  if (present.metadata.labels?.[MANAGED] !== 'true') return 'nothing'
  if (!wanted) return 'delete'
  const { spec } = present
  const asMade =
    !spec.service &&
    !spec.caBundle &&
    spec.insecureSkipTLSVerify !== true &&
    spec.groupPriorityMinimum === CUSTOM_PRIORITY.groupPriorityMinimum &&
    spec.versionPriority === CUSTOM_PRIORITY.versionPriority
  return asMade ? 'nothing' : 'restore'
}

/** Maintains an APIService for each group version of custom resource definitions. */
export class LocalApiServices implements AsyncDisposable {
  readonly #deps: LocalApiServicesDeps
  /** The definitions that serve a group version, by the name of its APIService. */
  readonly #serving = new Map<string, { readonly group: string; readonly version: string; readonly by: Set<string> }>()
  readonly #stops: (() => void)[]
  /** By name of the APIService. */
  readonly #reconciling = new KeyMutex()
  #closed = false
  #started = false

  constructor(deps: LocalApiServicesDeps) {
    this.#deps = deps
    const { watchCache } = deps
    this.#stops = [
      watchCache.onChange(DEFINITIONS.group, DEFINITIONS.resource, (object, old) => this.#changed(object, old)),
      watchCache.onChange(API_SERVICES.group, API_SERVICES.resource, (object, old) => {
        const name = (object ?? old)?.metadata.name ?? ''
        if (this.#serving.has(name)) this.#enqueue(name)
      }),
    ]
    for (const crd of watchCache.reader.list(DEFINITIONS.group, DEFINITIONS.resource)) this.#changed(crd, undefined)
  }

  /** Starts to write; also deletes the APIServices of definitions that were deleted while the server did not run. */
  start(): void {
    this.#started = true
    for (const name of this.#serving.keys()) this.#enqueue(name)
    for (const { metadata } of this.#deps.watchCache.reader.list(API_SERVICES.group, API_SERVICES.resource))
      if (metadata.labels?.[MANAGED] === 'true' && !this.#serving.has(metadata.name ?? '')) this.#enqueue(metadata.name ?? '')
  }

  #changed(object: KubeObject | undefined, old: KubeObject | undefined): void {
    const before = servedBy(old)
    const now = servedBy(object)
    const crd = (object ?? old)?.metadata.name ?? ''
    for (const [name, gv] of now) {
      const known = this.#serving.get(name) ?? { ...gv, by: new Set() }
      this.#serving.set(name, known)
      if (known.by.size === 0) this.#enqueue(name)
      known.by.add(crd)
    }
    for (const name of before.keys()) {
      const known = this.#serving.get(name)
      if (now.has(name) || known === undefined) continue
      known.by.delete(crd)
      if (known.by.size > 0) continue
      this.#serving.delete(name)
      this.#enqueue(name)
    }
  }

  #enqueue(name: string): void {
    if (this.#closed || !this.#started) return
    this.#reconciling
      .run([name], () => this.#reconcile(name))
      .catch((error: unknown) => this.#deps.log.warn('the APIService of a custom group version could not be kept', { name, error }))
  }

  async #reconcile(name: string): Promise<void> {
    if (this.#closed) return
    const { watchCache, transport } = this.#deps
    const serving = this.#serving.get(name)
    const present = watchCache.reader.get(API_SERVICES.group, API_SERVICES.resource, '', name) as ApiService | undefined
    const query = { fieldManager: 'kube-apiserver' }
    const target = { ...API_SERVICES, name }
    try {
      switch (planLocal(serving !== undefined, present)) {
        case 'nothing':
          return
        case 'create': {
          if (serving === undefined) return
          const spec: ApiServiceSpec & { group: string } = { group: serving.group, version: serving.version, ...CUSTOM_PRIORITY }
          await transport().call({ verb: 'create', target: API_SERVICES, query, body: localApiService(spec, 'true') })
          return
        }
        case 'restore': {
          const spec = { ...CUSTOM_PRIORITY, service: null, caBundle: null, insecureSkipTLSVerify: null }
          await transport().call({ verb: 'patch', target, query, patchType: 'merge', body: { spec } })
          return
        }
        case 'delete':
          await transport().call({ verb: 'delete', target, query: {} })
      }
    } catch (error) {
      // Another server of the same cluster does the same.
      if (!isStatus(error, 'AlreadyExists') && !isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const stop of this.#stops) stop()
    await this.#reconciling.idle()
  }
}

function servedBy(object: KubeObject | undefined): Map<string, { readonly group: string; readonly version: string }> {
  const { spec } = (object ?? {}) as Partial<CustomResourceDefinition>
  const group = spec?.group ?? ''
  return new Map((spec?.versions ?? []).filter((v) => v.served).map(({ name }) => [nameOf(group, name), { group, version: name }]))
}
