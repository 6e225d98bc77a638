import type { ResourceStore } from '../apiserver/store/resource-store.ts'
import { equalJson } from '../machinery/equal.ts'
import { ignoring } from '../machinery/ignoring.ts'
import { asJson, cloneJson, type JsonObject, type KubeObject } from '../machinery/object.ts'
import type { Client, ResourceRef } from '../sdk/client/client.ts'

/** The objects of a kind that your code makes; clients read and watch them, and cannot write. */
export interface ComputedObjects {
  /** Shows an object, in place of the one of this name. Nothing happens if it is equal. */
  put(object: KubeObject): Promise<void>
  remove(name: string, namespace?: string): Promise<void>
  /** Shows these, and no others. */
  replace(objects: readonly KubeObject[]): Promise<void>
}

export interface ComputedDeps {
  readonly store: ResourceStore
  /** Reads what clients read. */
  readonly client: Client
}

/** `ref`: the collection, in its stored version. */
export function computedObjects(ref: ResourceRef, { store, client }: ComputedDeps): ComputedObjects {
  const { group, resource } = ref
  const present = async ({ metadata: { namespace = '', name = '' } }: KubeObject): Promise<Readonly<KubeObject> | undefined> => {
    return client.get({ ...ref, name, ...(namespace !== '' && { namespace }) }).catch(ignoring('NotFound'))
  }
  const put = async (object: KubeObject): Promise<void> => {
    const { namespace = '', name = '' } = object.metadata
    const key = { group, resource, namespace, name }
    const before = await present(object)
    if (before === undefined) await store.create(store.ownWrite(key), cloneJson(object))
    else if (!equalJson(contentOf(before), contentOf(object)))
      await store.guaranteedUpdate(key, (draft) => {
        const { labels = {}, annotations = {} } = object.metadata
        const metadata = { ...draft.metadata, labels, annotations }
        for (const field of Object.keys(draft)) Reflect.deleteProperty(draft, field)
        Object.assign(draft, cloneJson(object), { metadata })
      })
  }
  const remove = (name: string, namespace = '') => store.writer.delete(group, resource, namespace, name)
  return {
    put,
    remove,
    async replace(objects) {
      const kept = new Set(objects.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`))
      for (const { metadata } of (await client.list(ref)).items)
        if (!kept.has(`${metadata.namespace ?? ''}/${metadata.name}`)) await remove(metadata.name ?? '', metadata.namespace)
      await Promise.all(objects.map(put))
    },
  }
}

/** The author's part of it. */
function contentOf(object: Readonly<KubeObject>): JsonObject {
  const { metadata: _, ...rest } = asJson(object)
  const { labels, annotations } = object.metadata
  return { ...rest, labels: { ...labels }, annotations: { ...annotations } }
}
