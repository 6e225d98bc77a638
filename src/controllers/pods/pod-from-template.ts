import { cloneJson, type Draft, type KubeObject } from '../../machinery/object.ts'
import type { Pod, PodTemplateSpec } from '../../resources/types/core.ts'
import { controllerReference } from './ownership.ts'

/** A pod of the owner, made from its template; the server generates its name. Pure. */
export function podFromTemplate(owner: KubeObject, template: PodTemplateSpec | undefined): Draft<Pod> {
  const { labels, annotations, finalizers } = cloneJson(template?.metadata ?? {})
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace ?? '',
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: cloneDraft(template?.spec ?? { containers: [] }),
  }
}

/** A copy that its owner may change. */
const cloneDraft = <T>(value: T): Draft<T> => cloneJson<unknown>(value) as Draft<T>
