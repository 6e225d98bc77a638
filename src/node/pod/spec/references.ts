import type { Clock } from '../../../base/clock.ts'
import { ignoring } from '../../../machinery/ignoring.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { CONFIG_MAPS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, SECRETS } from '../../../resources/refs.ts'
import type { ConfigMap, PersistentVolume, PersistentVolumeClaim, Secret } from '../../../resources/types/core.ts'
import type { Client, TargetOf } from '../../../sdk/client/client.ts'

/** How long an object is cached. */
export const KEEP_MS = 30_000
/** The most cached objects of one agent, and their total size in characters; the oldest are dropped first. */
export const KEEP = { objects: 500, characters: 8 * 1024 * 1024 } as const

/** Loads the objects that pods refer to, with a cache so that a thousand pods cause one request. */
export interface References {
  /** Undefined when it does not exist. */
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>
  secret(namespace: string, name: string): Promise<Secret | undefined>
  /** Never cached: pods wait for a claim to be bound. */
  claim(namespace: string, name: string): Promise<PersistentVolumeClaim | undefined>
  /** Never cached, as claims. */
  volume(name: string): Promise<PersistentVolume | undefined>
}

/** The content of a ConfigMap or a Secret; the values of `binaryData`, and all of a Secret's, are in base64. */
export interface KeyedData {
  readonly data?: Readonly<Record<string, string>>
  readonly binaryData?: Readonly<Record<string, string>>
}

interface CachedObject {
  readonly untilMs: number
  characters: number
  forget(): void
}

export interface ReferenceCache extends References {
  /** The number of cached objects. */
  readonly size: number
}

export function createReferences(client: Client, clock: Clock): ReferenceCache {
  /** In the order of requests, which is the order of expiry. */
  const known = new Map<string, CachedObject>()
  const configMaps = new Map<string, Promise<ConfigMap | undefined>>()
  const secrets = new Map<string, Promise<Secret | undefined>>()
  let characters = 0
  let sweeping = false

  const drop = (key: string, entry: CachedObject) => {
    if (known.get(key) !== entry) return
    known.delete(key)
    entry.forget()
    characters -= entry.characters
  }
  const sweep = () => {
    sweeping = false
    const now = clock.now()
    for (const [key, entry] of known) {
      if (entry.untilMs > now) break
      drop(key, entry)
    }
    const oldest = known.values().next().value
    if (oldest === undefined) return
    sweeping = true
    clock.after(oldest.untilMs - now, sweep, 'routine')
  }
  const shrink = () => {
    for (const [key, entry] of known) {
      if (known.size <= KEEP.objects && characters <= KEEP.characters) return
      drop(key, entry)
    }
  }

  const find = <T extends KubeObject & KeyedData>(
    objects: Map<string, Promise<T | undefined>>,
    target: TargetOf<T>,
  ): Promise<T | undefined> => {
    const key = `${target.resource}/${target.namespace}/${target.name}`
    const hit = known.get(key)
    const found = objects.get(key)
    if (hit !== undefined && found !== undefined && hit.untilMs > clock.now()) return found
    if (hit !== undefined) drop(key, hit)
    const requested = look(target)
    objects.set(key, requested)
    const entry: CachedObject = { untilMs: clock.now() + KEEP_MS, characters: 0, forget: () => void objects.delete(key) }
    known.set(key, entry)
    requested.then(
      (object) => {
        if (object === undefined) drop(key, entry)
        else if (known.get(key) === entry) {
          entry.characters = sizeOf(object)
          characters += entry.characters
          shrink()
        }
      },
      () => drop(key, entry),
    )
    if (!sweeping) {
      sweeping = true
      clock.after(KEEP_MS, sweep, 'routine')
    }
    return requested
  }
  const look = <T extends KubeObject>(target: TargetOf<T>): Promise<T | undefined> => client.get(target).catch(ignoring('NotFound'))

  return {
    get size() {
      return known.size
    },
    configMap: (namespace, name) => find(configMaps, { ...CONFIG_MAPS, namespace, name }),
    secret: (namespace, name) => find(secrets, { ...SECRETS, namespace, name }),
    claim: (namespace, name) => look({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name }),
    volume: (name) => look({ ...PERSISTENT_VOLUMES, name }),
  }
}

function sizeOf(object: KeyedData): number {
  let sum = 200
  for (const map of [object.data, object.binaryData]) for (const [k, v] of Object.entries(map ?? {})) sum += k.length + v.length
  return sum
}
