import { cloneJson, type KubeObject } from '../../machinery/object.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import { templateIn } from '../template/revisions.ts'
import { REVISION_LABEL } from './plan.ts'

/** The claims of one pod of the set, from the set's claim templates. */
export function claimsFor(set: KubeObject, ordinal: number): readonly KubeObject[] {
  return (set.spec?.volumeClaimTemplates ?? []).map((template: KubeObject): KubeObject => {
    const { status: _, ...claim } = cloneJson(template)
    return {
      ...claim,
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        ...(claim.metadata.annotations === undefined ? {} : { annotations: claim.metadata.annotations }),
        name: `${template.metadata.name}-${set.metadata.name}-${ordinal}`,
        namespace: set.metadata.namespace ?? '',
        labels: { ...claim.metadata.labels, ...set.spec?.selector?.matchLabels },
      },
    }
  })
}

/** A pod of the set: its name, its host name and its volumes follow from its number. */
export function setPod(set: KubeObject, ordinal: number, revision: KubeObject): KubeObject {
  const pod = podFromTemplate(set, templateIn(revision))
  const name = `${set.metadata.name}-${ordinal}`
  pod.metadata.name = name
  pod.metadata.labels = {
    ...pod.metadata.labels,
    [REVISION_LABEL]: revision.metadata.name ?? '',
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
  }
  pod.spec.hostname = name
  if (set.spec?.serviceName) pod.spec.subdomain = set.spec.serviceName
  const templates: readonly KubeObject[] = set.spec?.volumeClaimTemplates ?? []
  if (templates.length === 0) return pod
  const claimed = templates.map((t) => ({
    name: t.metadata.name,
    persistentVolumeClaim: { claimName: `${t.metadata.name}-${name}`, readOnly: false },
  }))
  const names = new Set(claimed.map((v) => v.name))
  pod.spec.volumes = [...claimed, ...(pod.spec.volumes ?? []).filter((v: { name: string }) => !names.has(v.name))]
  return pod
}
