import { timestamp } from '../../base/clock.ts'
import type { Writer } from '../../machinery/resource/definition.ts'
import { notFound } from '../../machinery/status-error.ts'
import type { ServerDeps } from '../deps.ts'

/** Writes what belongs to another object (the IPAddress of a Service) straight to the store. */
export function createWriter({
  registry,
  definitions,
  clock,
  random,
}: Pick<ServerDeps, 'registry' | 'definitions' | 'clock' | 'random'>): Writer {
  const place = (group: string, resource: string, namespace: string, name: string) => {
    const definition = definitions.get(group, resource)
    if (definition === undefined) throw notFound({ group, resource }, name)
    return { definition, key: namespace === '' ? name : `${namespace}/${name}` }
  }
  return {
    async create(group, resource, object) {
      const { definition, key } = place(group, resource, object.metadata.namespace ?? '', object.metadata.name ?? '')
      if (registry.cache(definition).get(key) !== undefined) return false
      const metadata = { ...object.metadata, uid: random.uuid(), creationTimestamp: timestamp(clock.now()) }
      const generation = (definition.rules.generation ?? 'none') === 'none' ? {} : { generation: 1 }
      const written = await registry.put(definition, key, { ...object, metadata: { ...metadata, ...generation } }, undefined)
      return written.kind !== 'conflict'
    },
    async delete(group, resource, namespace, name) {
      const { definition, key } = place(group, resource, namespace, name)
      for (;;) {
        const item = registry.cache(definition).get(key)
        if (item === undefined) return
        const gone = await registry.remove(definition, item)
        if (gone.kind !== 'conflict') return
        await registry.consistent()
      }
    },
  }
}
