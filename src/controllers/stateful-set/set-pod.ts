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
  pod.metadata.labels = { ...pod.metadata.labels, [REVISION_LABEL]: revision.metadata.name ?? '', ...identityLabels(name, ordinal) }
  pod.spec.hostname = name
  if (set.spec?.serviceName) pod.spec.subdomain = set.spec.serviceName
  return withClaims(set, pod, name)
}

const NAME_LABEL = 'statefulset.kubernetes.io/pod-name'
const identityLabels = (name: string, ordinal: number) => ({ [NAME_LABEL]: name, 'apps.kubernetes.io/pod-index': String(ordinal) })

/** The same pod with what makes it one of the set's, where that is missing; undefined: nothing is. Pure. */
export function repairedPod(set: KubeObject, pod: KubeObject, ordinal: number): KubeObject | undefined {
  const name = pod.metadata.name ?? ''
  const named = pod.metadata.labels?.[NAME_LABEL] === name
  const claimed = (set.spec?.volumeClaimTemplates ?? []).every((t: KubeObject) =>
    pod.spec?.volumes?.some(
      (v: PodVolume) => v.name === t.metadata.name && v.persistentVolumeClaim?.claimName === `${t.metadata.name}-${name}`,
    ),
  )
  if (named && claimed) return undefined
  const labels = { ...pod.metadata.labels, ...identityLabels(name, ordinal) }
  const repaired = cloneJson({ ...pod, metadata: { ...pod.metadata, labels } })
  return claimed ? repaired : withClaims(set, repaired, name)
}

interface PodVolume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName?: string }
}

/** The volumes of the set's claim templates, before those of its own. */
function withClaims(set: KubeObject, pod: KubeObject, name: string): KubeObject {
  const templates: readonly KubeObject[] = set.spec?.volumeClaimTemplates ?? []
  if (templates.length === 0) return pod
  const claimed = templates.map((t) => ({
    name: t.metadata.name,
    persistentVolumeClaim: { claimName: `${t.metadata.name}-${name}`, readOnly: false },
  }))
  const names = new Set(claimed.map((v) => v.name))
  pod.spec.volumes = [...claimed, ...(pod.spec.volumes ?? []).filter((v: PodVolume) => !names.has(v.name))]
  return pod
}
