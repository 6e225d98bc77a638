import { atOnce } from '../../base/steps.ts'
import { asKubeObject, cloneJson, type Draft, type KubeObject } from '../../machinery/object.ts'
import { notFound } from '../../machinery/status-error.ts'
import { find } from './find.ts'
import { normalForm } from './normal-form.ts'
import { servedBy, type TypedKey } from './own-write.ts'
import { withPartsOf } from './shared-parts.ts'
import type { StoreDeps } from './write.ts'

export interface GuaranteedUpdate<T extends KubeObject = KubeObject> {
  /** Nothing is stored. */
  readonly dryRun?: boolean
  /** Makes the draft. Default: a deep copy. A `change` that knows which parts it changes in place needs no copy of the rest. */
  readonly draftOf?: (object: Draft<T>) => Draft<T>
}

/** Changes a stored object below its kind's rules and admission. `change` gets a draft, and a new one after each conflict. */
export async function guaranteedUpdate<T extends KubeObject>(
  { watchCache, definitions, kinds }: StoreDeps,
  key: TypedKey<T>,
  change: (draft: Draft<T>) => void,
  options: GuaranteedUpdate<T> = {},
): Promise<KubeObject> {
  const addressed = { served: servedBy(definitions, key), place: key }
  const { definition } = addressed.served
  await watchCache.consistent(definition)
  for (;;) {
    const item = find(watchCache, addressed)
    if (item === undefined) throw notFound(key, key.name)
    const draft: KubeObject = options.draftOf?.(item.object as Draft<T>) ?? draftOf(item.object)
    change(draft as Draft<T>)
    if (options.dryRun === true) return draft
    const shared = withPartsOf(draft, item.object, true)
    const normal = asKubeObject(atOnce(normalForm(kinds, definition, { object: shared.object, known: shared.parts })).object)
    const written = await watchCache.put(definition, item.key, { object: normal }, item)
    if (written.kind !== 'conflict') return written.item.object
  }
}

/** A deep copy except `metadata.managedFields`, which is shared: it is half of most objects and never changed in place. */
function draftOf(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata
  const draft: KubeObject = cloneJson({ ...object, metadata })
  if (managedFields !== undefined) draft.metadata.managedFields = managedFields
  return draft
}
