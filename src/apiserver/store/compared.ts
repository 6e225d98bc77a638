import { apiVersionOf, asJson, asKubeObject, type KubeObject } from '../../machinery/object.ts'
import { alignQuantities } from '../../machinery/schema/align-quantities.ts'
import type { Write } from './write.ts'

/** The previous state as the draft is compared with it: quantities that are the same number are written alike. */
export function compared({ served: { definition } }: Pick<Write, 'served'>, old: KubeObject, draft: KubeObject): KubeObject {
  if (definition.customDefinition !== undefined) return old
  const { group, versions } = definition
  const version = versions.find((v) => apiVersionOf({ group, version: v.version }) === draft.apiVersion)
  return version === undefined ? old : asKubeObject(alignQuantities(version.schema(), asJson(old), asJson(draft)))
}
