import type { ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { WatchCache } from '../../apiserver/cache/watch-cache.ts'
import type { ResourceStore } from '../../apiserver/store/resource-store.ts'
import type { Clock } from '../../base/clock.ts'
import { timestamp } from '../../base/clock.ts'
import { KeyMutex } from '../../base/key-mutex.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { giveTurn } from '../../base/turns.ts'
import type { Transport } from '../../machinery/api-call.ts'
import { equalJson } from '../../machinery/equal.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import {
  CLEANUP_FINALIZER,
  type CustomResourceDefinition,
  DEFINITIONS,
  type DefinitionStatus,
  isTrue,
} from '../../resources/apiextensions/types.ts'
import type { WebhookClient } from '../admission/webhook/webhook-client.ts'
import { asDefinedNow, customDefinition } from './custom-definition.ts'
import { planStatus } from './plan-status.ts'

export interface CustomResourcesDeps {
  readonly watchCache: WatchCache
  readonly store: ResourceStore
  readonly definitions: ResourceRegistry
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly client: WebhookClient
  /** Deletes the objects of deleted definitions. */
  readonly transport: () => Transport
}

interface ServedDefinition {
  readonly crd: CustomResourceDefinition
  readonly definition: ResourceDefinition
}

/** The name of a definition is `PLURAL.GROUP`. */
const groupOf = (name: string): string => name.slice(name.indexOf('.') + 1)

/** Delay of the first status after the creation. */
const SETTLE_MS = 2
/** Retry delay of a deletion. */
const RETRY_MS = 1000

/**
 * Serves the resources of CustomResourceDefinitions. A definition is served as soon as its write is in the watch cache, before its client
 * gets the response; its status follows at once.
 */
export class CustomResources implements AsyncDisposable {
  readonly #deps: CustomResourcesDeps
  /** By group, then by name of the definition. */
  readonly #served = new Map<string, Map<string, ServedDefinition>>()
  /** The names of definitions that are not established. */
  readonly #waiting = new Set<string>()
  readonly #stop: () => void
  /** By name of the definition. */
  readonly #reconciling = new KeyMutex()
  #closed = false

  constructor(deps: CustomResourcesDeps) {
    this.#deps = deps
    this.#stop = deps.watchCache.onChange(DEFINITIONS.group, DEFINITIONS.resource, (object, old) => this.#changed(object, old))
    for (const crd of this.#all()) this.#changed(crd, undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#stop()
    await this.#reconciling.idle()
  }

  #all(): readonly CustomResourceDefinition[] {
    return this.#deps.watchCache.reader.list(DEFINITIONS.group, DEFINITIONS.resource) as readonly CustomResourceDefinition[]
  }

  #changed(object: KubeObject | undefined, old: KubeObject | undefined): void {
    const crd = (object ?? old) as CustomResourceDefinition | undefined
    if (crd === undefined) return
    const name = crd.metadata.name ?? ''
    if (object === undefined) {
      this.#withdraw(name)
      this.#waiting.delete(name)
      // Its names are free now.
      for (const other of this.#waiting) if (groupOf(other) === crd.spec.group) this.#enqueue(other)
      return
    }
    const status = planStatus(crd, this.#others(crd), timestamp(this.#deps.clock.now()))
    this.#serve({ ...crd, status })
    // The client may write the definition once more with the revision of the response.
    if (crd.status.conditions === null) this.#deps.clock.after(SETTLE_MS, () => this.#enqueue(name))
    else if (!equalJson(status, crd.status) || crd.metadata.deletionTimestamp !== undefined) this.#enqueue(name)
  }

  /** Definitions with their currently served names, even if those are not written yet. */
  #others(crd: CustomResourceDefinition): CustomResourceDefinition[] {
    const found: CustomResourceDefinition[] = []
    for (const [name, { crd: other }] of this.#served.get(crd.spec.group) ?? []) if (name !== crd.metadata.name) found.push(other)
    return found
  }

  #serve(crd: CustomResourceDefinition): void {
    const name = crd.metadata.name ?? ''
    if (!isTrue(crd, 'Established')) {
      this.#withdraw(name)
      this.#waiting.add(name)
      return
    }
    this.#waiting.delete(name)
    const { definitions, client, random } = this.#deps
    const group = this.#served.get(crd.spec.group) ?? new Map<string, ServedDefinition>()
    const before = group.get(name)
    if (before !== undefined && equalJson(servedPart(before.crd), servedPart(crd))) return
    const definition = customDefinition(crd, { client, random })
    // The name may be that of a built-in resource. As in Kubernetes, the definition's names are accepted, but its objects cannot be
    // reached.
    const isServed = definitions.serve(definition)
    this.#served.set(crd.spec.group, group.set(name, { crd, definition }))
    if (!isServed) return
    // Watches end when the way their objects are served changes: clients reconnect and continue from their revision.
    if (before !== undefined && !equalJson(watchedPart(before.crd), watchedPart(crd)))
      this.#deps.watchCache.of(before.definition).watchers.endAll('at-once')
    if (before === undefined || !equalJson(shownPart(before.crd), shownPart(crd)))
      this.#deps.watchCache.of(definition).readThrough({ read: (object) => asDefinedNow(crd, object) })
  }

  #withdraw(name: string): void {
    const group = this.#served.get(groupOf(name))
    const served = group?.get(name)
    if (group === undefined || served === undefined) return
    group.delete(name)
    if (group.size === 0) this.#served.delete(groupOf(name))
    this.#deps.definitions.withdraw(served.definition)
    this.#deps.watchCache.of(served.definition).watchers.endAll('after-backlog')
  }

  #enqueue(name: string): void {
    this.#reconciling
      .run([name], () => this.#reconcile(name))
      .catch((error: unknown) => this.#deps.log.warn('a custom resource definition could not be reconciled', { name, error }))
  }

  /** Writes the status; removes the finalizer of a deleted definition when its objects are gone. */
  async #reconcile(name: string): Promise<void> {
    // Thousands of definitions may be deleted at once.
    await giveTurn()
    if (this.#closed) return
    const crd = this.#get(name)
    if (crd === undefined) return
    const status = planStatus(crd, this.#others(crd), timestamp(this.#deps.clock.now()))
    if (!equalJson(status, crd.status)) {
      await this.#write(name, (draft) => {
        draft.status = status
      })
    }
    const present = this.#get(name)
    if (present?.metadata.deletionTimestamp !== undefined && (present.metadata.finalizers ?? []).includes(CLEANUP_FINALIZER))
      await this.#empty(name)
  }

  #get(name: string): CustomResourceDefinition | undefined {
    return this.#deps.watchCache.reader.get(DEFINITIONS.group, DEFINITIONS.resource, '', name) as CustomResourceDefinition | undefined
  }

  async #empty(name: string): Promise<void> {
    const served = this.#served.get(groupOf(name))?.get(name)
    if (served !== undefined && (await this.#deleteObjects(served.definition)) > 0) {
      await this.#condition(name, 'InstanceDeletionInProgress', 'CustomResource deletion is in progress')
      this.#awaitEmpty(name, served.definition)
      return
    }
    await this.#condition(name, 'InstanceDeletionCompleted', 'removed all instances', 'False')
    await giveTurn()
    await this.#write(name, (draft) => {
      draft.metadata.finalizers = (draft.metadata.finalizers ?? []).filter((f) => f !== CLEANUP_FINALIZER)
    })
  }

  /** Checks again when the last object is gone, and from time to time for those that could not be deleted. */
  #awaitEmpty(name: string, definition: ResourceDefinition): void {
    const cache = this.#deps.watchCache.of(definition)
    const again = () => {
      stop()
      cancel()
      this.#enqueue(name)
    }
    const cancel = this.#deps.clock.after(RETRY_MS, again)
    const stop = cache.onChange(() => {
      if (cache.size === 0) again()
    })
  }

  /** Deletes every object, through the whole pipeline. Returns how many are left (because of finalizers). */
  async #deleteObjects(definition: ResourceDefinition): Promise<number> {
    const cache = this.#deps.watchCache.of(definition)
    const transport = this.#deps.transport()
    const version = definition.versions.find((v) => v.served)?.version ?? definition.storageVersion
    for (const item of cache.list({ key: '', prefix: '' })) {
      if (item.object.metadata.deletionTimestamp !== undefined) continue
      const { group } = definition
      const target = {
        group,
        version,
        resource: definition.names.plural,
        name: item.name,
        ...(item.namespace !== '' && { namespace: item.namespace }),
      }
      await transport.call({ verb: 'delete', target, query: {} }).catch((error: unknown) => {
        if (!isStatus(error, 'NotFound')) this.#deps.log.warn('an object of a deleted definition could not be deleted', { target, error })
      })
    }
    return cache.size
  }

  async #condition(name: string, reason: string, message: string, status: 'True' | 'False' = 'True'): Promise<void> {
    const lastTransitionTime = timestamp(this.#deps.clock.now())
    await this.#write(name, (draft) => {
      const conditions = (draft.status.conditions ?? []).filter((c) => c.type !== 'Terminating')
      const old = draft.status.conditions?.find((c) => c.type === 'Terminating')
      const since = old?.status === status ? (old.lastTransitionTime ?? lastTransitionTime) : lastTransitionTime
      draft.status = {
        ...draft.status,
        conditions: [...conditions, { type: 'Terminating', status, lastTransitionTime: since, reason, message }],
      } as DefinitionStatus
    })
  }

  /** Updates one definition; does nothing if it is gone. */
  async #write(name: string, change: (draft: CustomResourceDefinition) => void): Promise<void> {
    const key = { ...DEFINITIONS, namespace: '', name }
    const draftOf = (draft: KubeObject) => change(draft as CustomResourceDefinition)
    await this.#deps.store.change(key, draftOf, { subresource: 'status', noted: true }).catch(ignoring('NotFound'))
  }
}

/** The part of a definition that decides how its stored objects are read. */
const shownPart = ({ spec }: CustomResourceDefinition) => [spec.versions, spec.preserveUnknownFields]

/** What changes with a definition whose watches have to end. The generation counts the changes of the specification, which may be large. */
const watchedPart = ({ metadata, status }: CustomResourceDefinition) => [metadata.uid, metadata.generation, status.acceptedNames]

/** What changes with a definition whose objects are served in another way. */
const servedPart = (crd: CustomResourceDefinition) => [...watchedPart(crd), crd.status.storedVersions, isTrue(crd, 'Terminating')]
