import { cloneJson, type Draft } from '../../machinery/object.ts'
import type { ControllerRevision, StatefulSet } from '../../resources/types/apps.ts'
import type { PersistentVolumeClaim, Pod, PodSpec } from '../../resources/types/core.ts'
import { podFromTemplate } from '../pods/pod-from-template.ts'
import { templateIn } from '../template/revisions.ts'
import { REVISION_LABEL } from './plan.ts'

const templatesOf = ({ spec }: StatefulSet) => spec.volumeClaimTemplates ?? []

/** The claims of one pod of the set, from the set's claim templates. Pure. */
export function claimsFor(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  return templatesOf(set).map((template) => {
    const { status: _, ...claim } = cloneJson(template)
    const { annotations, labels } = claim.metadata
    return {
      ...claim,
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        ...(annotations === undefined ? {} : { annotations }),
        name: `${template.metadata.name}-${set.metadata.name}-${ordinal}`,
        namespace: set.metadata.namespace ?? '',
        labels: { ...labels, ...set.spec.selector.matchLabels },
      },
    }
  })
}

/** A pod of the set: its name, host name and volumes follow from its ordinal. Pure. */
export function setPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): Pod {
  const pod = podFromTemplate(set, templateIn(revision))
  const name = `${set.metadata.name}-${ordinal}`
  pod.metadata.name = name
  pod.metadata.labels = { ...pod.metadata.labels, [REVISION_LABEL]: revision.metadata.name ?? '', ...identityLabels(name, ordinal) }
  pod.spec.hostname = name
  if (set.spec.serviceName) pod.spec.subdomain = set.spec.serviceName
  return { ...pod, spec: withClaims(set, pod.spec, name) }
}

const NAME_LABEL = 'statefulset.kubernetes.io/pod-name'
const identityLabels = (name: string, ordinal: number) => ({ [NAME_LABEL]: name, 'apps.kubernetes.io/pod-index': String(ordinal) })

/** The pod with the labels and volumes that make it one of the set's; undefined if it lacks none. Pure. */
export function repairedPod(set: StatefulSet, pod: Pod, ordinal: number): Pod | undefined {
  const name = pod.metadata.name ?? ''
  const named = pod.metadata.labels?.[NAME_LABEL] === name
  const claimed = templatesOf(set).every(({ metadata }) =>
    pod.spec.volumes?.some((v) => v.name === metadata.name && v.persistentVolumeClaim?.claimName === `${metadata.name}-${name}`),
  )
  if (named && claimed) return undefined
  const metadata = { ...pod.metadata, labels: { ...pod.metadata.labels, ...identityLabels(name, ordinal) } }
  return { ...pod, metadata, ...(claimed ? {} : { spec: withClaims(set, pod.spec, name) }) }
}

/** The spec with the volumes of the set's claim templates before its own. */
function withClaims<Spec extends PodSpec | Draft<PodSpec>>(set: StatefulSet, spec: Spec, pod: string): Spec {
  const claimed = templatesOf(set).map(({ metadata: { name = '' } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${pod}`, readOnly: false },
  }))
  if (claimed.length === 0) return spec
  const names = new Set(claimed.map((v) => v.name))
  return { ...spec, volumes: [...claimed, ...(spec.volumes ?? []).filter((v) => !names.has(v.name))] }
}
