import type { Deployment } from '../../resources/types/apps.ts'
import { all, type DeploymentView, OWN_ANNOTATIONS, ROLLBACK_TO, readRevision, revisionOf, sameTemplate, withoutHash } from './plan.ts'

/** The revision to roll back to; 0 is the one before the current one. Undefined if none is requested, or it cannot be read. */
export const rollbackOf = ({ metadata }: Deployment): bigint | undefined => readRevision(metadata.annotations?.[ROLLBACK_TO])

/** What becomes of a deployment that is to roll back. */
export interface RollbackPlan {
  /** The object to write: in any case without the annotation of the rollback. */
  readonly deployment: Deployment
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** The deployment with the template of an older replica set, and its annotations. Pure. */
export function planRollback(view: DeploymentView, requested: bigint): RollbackPlan {
  const { deployment } = view
  const { [ROLLBACK_TO]: _, ...annotations } = deployment.metadata.annotations ?? {}
  const cleared = { ...deployment, metadata: { ...deployment.metadata, annotations } }
  const warn = (reason: string, message: string): RollbackPlan => ({ deployment: cleared, type: 'Warning', reason, message })
  const notFound = 'DeploymentRollbackRevisionNotFound'
  const revision = requested === 0n ? lastRevision(view) : requested
  if (revision === 0n) return warn(notFound, 'Unable to find last revision.')
  const target = all(view).find((rs) => revisionOf(rs) === revision)
  if (target === undefined) return warn(notFound, 'Unable to find the revision to rollback to.')
  const name = deployment.metadata.name ?? ''
  if (sameTemplate(target, deployment))
    return warn('DeploymentRollbackTemplateUnchanged', `The rollback revision contains the same template as current deployment "${name}"`)
  const own = Object.entries(annotations).filter(([key]) => OWN_ANNOTATIONS.has(key))
  const old = Object.entries(target.metadata.annotations ?? {}).filter(([key]) => !OWN_ANNOTATIONS.has(key))
  return {
    deployment: {
      ...cleared,
      metadata: { ...cleared.metadata, annotations: Object.fromEntries([...own, ...old]) },
      spec: { ...deployment.spec, template: withoutHash(target) },
    },
    type: 'Normal',
    reason: 'DeploymentRollback',
    message: `Rolled back deployment "${name}" to revision ${revision}`,
  }
}

/** The second highest of all. */
function lastRevision(view: DeploymentView): bigint {
  const revisions = all(view)
    .map(revisionOf)
    .sort((a, b) => Number(b - a))
  return revisions[1] ?? 0n
}
