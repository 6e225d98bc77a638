import type { Clock } from '../../../base/clock.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { CONFIG_MAPS, PERSISTENT_VOLUME_CLAIMS, SECRETS } from '../../../sdk/client/refs.ts'

/** How long an object that was found is taken as still there. */
export const KEEP_MS = 30_000
/** How many objects, and how many characters of them, one agent remembers at most; the ones asked for first go first. */
export const KEEP = { objects: 500, characters: 8 * 1024 * 1024 } as const

/** Looks up what pods refer to; found objects are remembered for a while, so that a thousand pods ask once. */
export interface References {
  /** Undefined when it does not exist. */
  configMap(namespace: string, name: string): Promise<KubeObject | undefined>
  secret(namespace: string, name: string): Promise<KubeObject | undefined>
  /** Never remembered: pods wait for a claim to be bound. */
  claim(namespace: string, name: string): Promise<KubeObject | undefined>
}

interface Known {
  readonly object: Promise<KubeObject | undefined>
  readonly untilMs: number
  characters: number
}

export interface ReferenceCache extends References {
  /** How many objects are remembered now. */
  readonly size: number
}

export function createReferences(client: Client, clock: Clock): ReferenceCache {
  /** In the order in which they were asked for, which is the order in which they expire. */
  const known = new Map<string, Known>()
  let characters = 0
  let sweeping = false

  const drop = (key: string, entry: Known) => {
    if (known.get(key) !== entry) return
    known.delete(key)
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
    clock.after(oldest.untilMs - now, sweep)
  }
  const shrink = () => {
    for (const [key, entry] of known) {
      if (known.size <= KEEP.objects && characters <= KEEP.characters) return
      drop(key, entry)
    }
  }

  const find = (ref: typeof CONFIG_MAPS, namespace: string, name: string) => {
    const key = `${ref.resource}/${namespace}/${name}`
    const hit = known.get(key)
    if (hit !== undefined && hit.untilMs > clock.now()) return hit.object
    if (hit !== undefined) drop(key, hit)
    const entry: Known = { object: look({ ...ref, namespace, name }), untilMs: clock.now() + KEEP_MS, characters: 0 }
    known.set(key, entry)
    entry.object.then(
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
      clock.after(KEEP_MS, sweep)
    }
    return entry.object
  }
  const look = (target: Parameters<Client['get']>[0]): Promise<KubeObject | undefined> =>
    client.get(target).catch((error) => {
      if (isStatus(error, 'NotFound')) return undefined
      throw error
    })

  return {
    get size() {
      return known.size
    },
    configMap: (ns, name) => find(CONFIG_MAPS, ns, name),
    secret: (ns, name) => find(SECRETS, ns, name),
    claim: (namespace, name) => look({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name }),
  }
}

function sizeOf(object: KubeObject): number {
  let sum = 200
  for (const map of [object.data, object.binaryData]) for (const [k, v] of Object.entries(map ?? {})) sum += k.length + String(v).length
  return sum
}
