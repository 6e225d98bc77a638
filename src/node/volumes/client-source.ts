import type { Target } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ObjectSource } from './object-source.ts'

/** Reads each object from the API when it is asked for; a collection (a target without a name) as a whole. */
export function clientSource(client: Client): ObjectSource {
  return {
    async read(targets) {
      const found = await Promise.all(targets.map((target) => readTarget(client, target)))
      const of = (group: string, resource: string, namespace?: string) =>
        targets.flatMap((target, i) =>
          target.group === group && target.resource === resource && (namespace ?? target.namespace) === target.namespace
            ? (found[i] ?? [])
            : [],
        )
      return {
        get: (group, resource, namespace, name) =>
          of(group, resource).find((o) => o.metadata.name === name && (o.metadata.namespace ?? '') === namespace),
        list: of,
      }
    },
  }
}

async function readTarget(client: Client, target: Target): Promise<readonly KubeObject[]> {
  const { name } = target
  try {
    if (name === undefined) return (await client.list<KubeObject>(target)).items
    return [await client.get<KubeObject>({ ...target, name })]
  } catch (error) {
    if (isStatus(error, 'NotFound')) return []
    throw error
  }
}
