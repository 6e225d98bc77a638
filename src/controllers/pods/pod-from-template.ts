import { cloneJson, type KubeObject } from '../../machinery/object.ts'
import { controllerReference } from './ownership.ts'

/** What a workload's template says of its pods. */
export interface PodTemplate {
  readonly metadata?: KubeObject['metadata']
  readonly spec?: KubeObject['spec']
}

/** A pod of the owner, made after its template; its name is given by the server. */
export function podFromTemplate(owner: KubeObject, template: PodTemplate): KubeObject {
  const { labels, annotations, finalizers } = cloneJson(template.metadata ?? {})
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
    spec: cloneJson(template.spec ?? {}),
  }
}
