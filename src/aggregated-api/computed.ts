import { equalJson } from '../machinery/equal.ts'
import { cloneJson, type KubeObject } from '../machinery/object.ts'
import { isStatus } from '../machinery/status-error.ts'
import type { ApiServer } from '../apiserver/server.ts'

/** The objects of a kind that your code makes; clients read and watch them, and cannot write. */
export interface ComputedObjects {
  /** Shows an object, in place of the one of this name. Nothing happens when it says the same. */
  put(object: KubeObject): Promise<void>
  remove(name: string, namespace?: string): Promise<void>
  /** Shows these, and no others. */
  replace(objects: readonly KubeObject[]): Promise<void>
}

export function computedObjects(server: ApiServer, { group, resource }: { readonly group: string; readonly resource: string }): ComputedObjects {
  const { store, reader } = server.tools
  const keyOf = ({ metadata: { namespace = '', name = '' } }: KubeObject) => ({ group, resource, namespace, name })
  const put = async (object: KubeObject): Promise<void> => {
    const key = keyOf(object)
    const present = reader.get(group, resource, key.namespace, key.name)
    if (present === undefined) {
      await store.create(store.ownWrite(key), cloneJson(object)).catch((error: unknown) => {
        if (!isStatus(error, 'AlreadyExists')) throw error
      })
      return
    }
    if (equalJson(contentOf(present), contentOf(object))) return
    await store.guaranteedUpdate(key, (draft) => {
      const { metadata } = draft
      for (const field of Object.keys(draft)) if (!OWN.has(field)) delete draft[field]
      Object.assign(draft, cloneJson(object), { metadata: { ...metadata, labels: object.metadata.labels ?? {}, annotations: object.metadata.annotations ?? {} } })
    })
  }
  const remove = (name: string, namespace = '') => store.writer.delete(group, resource, namespace, name)
  return {
    put,
    remove,
    async replace(objects) {
      const kept = new Set(objects.map((o) => `${o.metadata.namespace ?? ''}/${o.metadata.name}`))
      for (const { metadata } of reader.list(group, resource))
        if (!kept.has(`${metadata.namespace ?? ''}/${metadata.name}`)) await remove(metadata.name ?? '', metadata.namespace)
      await Promise.all(objects.map(put))
    },
  }
}

const OWN = new Set(['apiVersion', 'kind', 'metadata'])

/** What the author says of it. */
function contentOf({ metadata, ...rest }: Readonly<KubeObject>) {
  return { ...rest, labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} } as never
}
