import { type AdmissionPlugin, refusal } from '../../../apiserver/admission/plugin.ts'
import { resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { Pace } from '../../../base/steps.ts'
import { giveTurn } from '../../../base/turns.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { type OwnerReference, parseApiVersion } from '../../../machinery/object.ts'
import type { AdmissionDeps } from '../admission-deps.ts'

/**
 * Changing the owners of an object requires the right to delete it; blocking an owner's deletion requires the right to set its finalizers.
 * Off unless it is enabled.
 */
export function ownerReferencesPermissionEnforcement({ authorizer }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    handles: (r) => r.object !== undefined && r.subresource !== 'status' && (r.operation === 'CREATE' || r.operation === 'UPDATE'),
    async validate(request) {
      const now = request.object?.metadata.ownerReferences ?? []
      const before = request.oldObject?.metadata.ownerReferences ?? []
      if (equalJson(now, before)) return
      const { group, resource } = request.resource
      const ask = async (verb: string, target: { group: string; resource: string; subresource?: string; name: string }) =>
        (await authorizer.authorize(resourceAttributes({ user: request.user, verb, namespace: request.namespace, ...target }))).verdict ===
        'allow'
      if (request.operation === 'UPDATE' && !(await ask('delete', { group, resource, name: request.name }))) {
        throw refusal(request, "cannot set an ownerRef on a resource you can't delete: ")
      }
      const blockedBefore = new Set(before.filter(blocks).map((owner) => owner.uid))
      const pace = new Pace()
      for (const owner of now.filter((o) => blocks(o) && !blockedBefore.has(o.uid))) {
        if (pace.due(WORK_PER_OWNER)) await giveTurn()
        if (!(await ask('update', { ...ownerResource(owner), subresource: 'finalizers', name: owner.name }))) {
          throw refusal(request, "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ")
        }
      }
    },
  }
}

/** An authorizer's work for one owner, in values that are looked at. */
const WORK_PER_OWNER = 60

const blocks = ({ blockOwnerDeletion }: OwnerReference): boolean => blockOwnerDeletion === true

/** The plural is derived by a rule that works for all kinds that own objects. */
function ownerResource(owner: OwnerReference): { group: string; resource: string } {
  const kind = owner.kind.toLowerCase()
  const resource = /(s|x|ch|sh)$/.test(kind) ? `${kind}es` : /[^aeiou]y$/.test(kind) ? `${kind.slice(0, -1)}ies` : `${kind}s`
  return { group: parseApiVersion(owner.apiVersion)?.group ?? '', resource }
}
