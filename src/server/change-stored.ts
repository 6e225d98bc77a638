import { cloneJson, type KubeObject } from '../machinery/object.ts'
import { notFound } from '../machinery/status-error.ts'
import type { ObjectKey } from './seams.ts'
import type { ServerDeps } from './server.ts'

/** Changes one stored object without admission and validation; repeated when somebody else wrote meanwhile. */
export async function changeStored(
  { registry, definitions }: Pick<ServerDeps, 'registry' | 'definitions'>,
  target: ObjectKey,
  change: (draft: KubeObject) => void,
  options: { readonly dryRun?: boolean } = {},
): Promise<KubeObject> {
  const definition = definitions.get(target.group, target.resource)
  if (definition === undefined) throw notFound(target, target.name)
  const key = target.namespace === '' ? target.name : `${target.namespace}/${target.name}`
  await registry.consistent()
  for (;;) {
    const item = registry.cache(definition).get(key)
    if (item === undefined) throw notFound(target, target.name)
    const draft = cloneJson(item.object)
    change(draft)
    if (options.dryRun === true) return draft
    const written = await registry.put(definition, key, draft, item)
    if (written.kind !== 'conflict') return written.item.object
  }
}
