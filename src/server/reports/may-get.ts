import type { ReportReader } from '../../apiserver/extension-points.ts'
import { resourceAttributes } from '../../apiserver/identity/authorizer.ts'
import { andThen, type Later } from '../../base/steps.ts'

export interface ReadTarget {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** Whether a reader of reports may get an object. Each object is decided once: use the result for one response. */
export function mayGet({ user, authorizer }: ReportReader): (target: ReadTarget) => Later<boolean> {
  const known = new Map<string, Later<boolean>>()
  return ({ group, version, resource, namespace, name }) => {
    const key = JSON.stringify([group, resource, namespace, name])
    let allowed = known.get(key)
    if (allowed === undefined) {
      const decision = authorizer.authorize(resourceAttributes({ user, verb: 'get', group, version, resource, namespace, name }))
      allowed = andThen(decision, ({ verdict }) => verdict === 'allow')
      known.set(key, allowed)
    }
    return allowed
  }
}
