import type { DeploymentCondition, ReplicaSet } from '../../resources/types/apps.ts'
import { controllerReference } from '../pods/ownership.ts'
import { templateHash } from '../template/template-hash.ts'
import { currentAnnotations, currentSize, type DeploymentView, HASH_LABEL, nextRevision, REVISION } from './plan.ts'
import { conditionsOf, hasDeadline, progressing, setCondition } from './status.ts'

/** The new ReplicaSet of the deployment's template. Pure. */
export function newReplicaSet({ deployment, old }: DeploymentView): ReplicaSet {
  const { namespace = '', name = '' } = deployment.metadata
  const hash = templateHash(deployment.spec.template, deployment.status?.collisionCount)
  const { minReadySeconds, template, selector } = deployment.spec
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash }
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: { ...currentAnnotations(deployment, undefined, nextRevision(old)) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: currentSize(deployment, old, 0),
      ...(minReadySeconds ? { minReadySeconds } : {}),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  }
}

/** The ReplicaSet with the annotations and settings of the deployment; undefined if nothing changes. Pure. */
export function renewedReplicaSet({ deployment, old }: DeploymentView, current: ReplicaSet): ReplicaSet | undefined {
  // An adopted one gets a revision, but no size annotations: it was not resized.
  const annotations = currentAnnotations(deployment, current.metadata.annotations ?? {}, nextRevision(old))
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0
  if (annotations === current.metadata.annotations && (current.spec.minReadySeconds ?? 0) === minReadySeconds) return undefined
  const spec = { ...current.spec, ...(minReadySeconds === 0 && current.spec.minReadySeconds === undefined ? {} : { minReadySeconds }) }
  return { ...current, metadata: { ...current.metadata, annotations: { ...annotations } }, spec }
}

/** What the deployment reports of its current ReplicaSet: its revision, and that it was created or found. */
export interface CurrentNews {
  readonly annotations: Readonly<Record<string, string>>
  readonly conditions: readonly DeploymentCondition[]
}

/** The news of the current ReplicaSet; undefined if the deployment reports them already. Pure. */
export function currentNews({ deployment, current: before }: DeploymentView, current: ReplicaSet, nowMs: number): CurrentNews | undefined {
  const conditions = conditionsOf(deployment)
  const reported = !hasDeadline(deployment) || (before !== undefined && conditions.some((c) => c.type === 'Progressing'))
  const revision = current.metadata.annotations?.[REVISION] ?? '1'
  if (reported && deployment.metadata.annotations?.[REVISION] === revision) return undefined
  const [reason, verb] = before === undefined ? ['NewReplicaSetCreated', 'Created'] : ['FoundNewReplicaSet', 'Found']
  const fresh = progressing('True', reason, `${verb} new replica set "${current.metadata.name}"`)
  return {
    annotations: { ...deployment.metadata.annotations, [REVISION]: revision },
    conditions: reported ? conditions : setCondition(conditions, fresh, nowMs),
  }
}
