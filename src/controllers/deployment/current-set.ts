import { cloneJson, type KubeObject } from '../../machinery/object.ts'
import { controllerReference } from '../pods/ownership.ts'
import { templateHash } from '../template/template-hash.ts'
import { currentAnnotations, currentSize, type DeploymentView, HASH_LABEL, nextRevision, REVISION } from './plan.ts'
import { conditionsOf, type DeploymentCondition, hasDeadline, progressing, setCondition } from './status.ts'

/** The replica set of the deployment's template, as it is to be made. Pure. */
export function newReplicaSet({ deployment, old }: DeploymentView): KubeObject {
  const { namespace = '', name = '' } = deployment.metadata
  const hash = templateHash(deployment.spec.template, deployment.status?.collisionCount)
  const template = cloneJson(deployment.spec.template)
  template.metadata = { ...template.metadata, labels: { ...template.metadata?.labels, [HASH_LABEL]: hash } }
  const selector = cloneJson(deployment.spec.selector)
  selector.matchLabels = { ...selector.matchLabels, [HASH_LABEL]: hash }
  const { minReadySeconds } = deployment.spec
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...template.metadata.labels },
      annotations: { ...currentAnnotations(deployment, undefined, nextRevision(old)) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: { replicas: currentSize(deployment, old, 0), ...(minReadySeconds ? { minReadySeconds } : {}), selector, template },
  }
}

/** The standing replica set with what the deployment says of it now; undefined when nothing is to change. Pure. */
export function renewedReplicaSet({ deployment, old }: DeploymentView, current: KubeObject): KubeObject | undefined {
  // One that is adopted gets its revision, but no size: nobody resized it.
  const annotations = currentAnnotations(deployment, current.metadata.annotations ?? {}, nextRevision(old))
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0
  if (annotations === current.metadata.annotations && (current.spec?.minReadySeconds ?? 0) === minReadySeconds) return undefined
  const spec = { ...current.spec, ...(minReadySeconds === 0 && current.spec?.minReadySeconds === undefined ? {} : { minReadySeconds }) }
  return { ...current, metadata: { ...current.metadata, annotations: { ...annotations } }, spec }
}

/** What the deployment tells of its current replica set: its revision, and that it was made or found. */
export interface CurrentNews {
  readonly annotations: Readonly<Record<string, string>>
  readonly conditions: readonly DeploymentCondition[]
}

/** The news of the current replica set, which was there before or not; undefined when the deployment says them already. Pure. */
export function currentNews({ deployment, current: before }: DeploymentView, current: KubeObject, nowMs: number): CurrentNews | undefined {
  const standing = conditionsOf(deployment)
  const told = !hasDeadline(deployment) || (before !== undefined && standing.some((c) => c.type === 'Progressing'))
  const revision = current.metadata.annotations?.[REVISION] ?? '1'
  if (told && deployment.metadata.annotations?.[REVISION] === revision) return undefined
  const [reason, verb] = before === undefined ? ['NewReplicaSetCreated', 'Created'] : ['FoundNewReplicaSet', 'Found']
  const fresh = progressing('True', reason, `${verb} new replica set "${current.metadata.name}"`)
  return {
    annotations: { ...deployment.metadata.annotations, [REVISION]: revision },
    conditions: told ? standing : setCondition(standing, fresh, nowMs),
  }
}
