import type { KubeObject } from '../../machinery/object.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import type { WatchCache } from './watch-cache.ts'

/** A watch cache of plain objects, for tests: `put` and `remove` call listeners synchronously. */
export interface WatchCacheDouble extends Pick<WatchCache, 'reader' | 'onChange'> {
  put(group: string, resource: string, ...objects: KubeObject[]): void
  remove(group: string, resource: string, name: string, namespace?: string): void
}

type Listener = (object: KubeObject | undefined, old: KubeObject | undefined) => void

/** Starts empty. */
export function watchCacheDouble(): WatchCacheDouble {
  const objects = new Map<string, Map<string, KubeObject>>()
  const listeners = new Map<string, Listener[]>()
  const of = (group: string, resource: string) => {
    const key = `${group}/${resource}`
    const found = objects.get(key) ?? new Map<string, KubeObject>()
    objects.set(key, found)
    return found
  }
  const tell = (group: string, resource: string, now: KubeObject | undefined, old: KubeObject | undefined) => {
    for (const listener of listeners.get(`${group}/${resource}`) ?? []) listener(now, old)
  }
  const reader: Reader = {
    get: (group, resource, namespace, name) => of(group, resource).get(`${namespace}/${name}`),
    list: (group, resource, namespace) =>
      [...of(group, resource).values()].filter((o) => namespace === undefined || (o.metadata.namespace ?? '') === namespace),
  }
  return {
    reader,
    onChange(group, resource, listener) {
      const key = `${group}/${resource}`
      listeners.set(key, [...(listeners.get(key) ?? []), listener])
      return () =>
        listeners.set(
          key,
          (listeners.get(key) ?? []).filter((l) => l !== listener),
        )
    },
    put(group, resource, ...added) {
      for (const object of added) {
        const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`
        const old = of(group, resource).get(key)
        of(group, resource).set(key, object)
        tell(group, resource, object, old)
      }
    },
    remove(group, resource, name, namespace = '') {
      const old = of(group, resource).get(`${namespace}/${name}`)
      of(group, resource).delete(`${namespace}/${name}`)
      tell(group, resource, undefined, old)
    },
  }
}
