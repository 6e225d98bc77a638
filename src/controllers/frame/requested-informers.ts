import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import type { Informers } from './informers.ts'

/** The same informers; `ready` has the first lists of those that were requested here. */
export function requestedInformers(informers: Informers): { readonly informers: Informers; ready(): readonly Promise<void>[] } {
  const wanted = new Set<Informer<KubeObject>>()
  const of = <T extends KubeObject>(ref: ResourceRef<T>): Informer<T> => {
    const informer = informers.of(ref)
    wanted.add(informer)
    return informer
  }
  return {
    informers: { of, peek: (ref) => informers.peek(ref), drop: (ref) => informers.drop(ref) },
    ready: () => [...wanted].map((informer) => informer.synced),
  }
}
