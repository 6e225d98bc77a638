import { type AdmissionPlugin, refusal } from '../../../apiserver/admission/plugin.ts'
import { type Attributes, resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { Pace } from '../../../base/steps.ts'
import { giveTurn } from '../../../base/turns.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { type OwnerReference, parseApiVersion } from '../../../machinery/object.ts'
import type { AdmissionDeps } from '../admission-deps.ts'

/**
 * Changing the owners of an object requires the right to delete it; blocking an owner's deletion requires the right to set its finalizers.
 * Off unless it is enabled.
 */
export function ownerReferencesPermissionEnforcement({ authorizer, definitions }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    handles: (r) => r.object !== undefined && r.subresource !== 'status' && (r.operation === 'CREATE' || r.operation === 'UPDATE'),
    async validate(request) {
      const now = request.object?.metadata.ownerReferences ?? []
      const before = request.oldObject?.metadata.ownerReferences ?? []
      if (equalJson(now, before)) return
      const { group, resource } = request.resource
      const ask = async (verb: string, target: Pick<Attributes, 'group' | 'resource' | 'name'> & Partial<Attributes>) => {
        const { verdict, reason } = await authorizer.authorize(resourceAttributes({ user: request.user, verb, ...target }))
        // As upstream, the reason is followed by an error, of which there is none.
        return verdict === 'allow' ? undefined : `${reason}, <nil>`
      }
      const { namespace, name } = request
      const undeletable = request.operation === 'UPDATE' ? await ask('delete', { group, resource, namespace, name }) : undefined
      if (undeletable !== undefined) throw refusal(request, `cannot set an ownerRef on a resource you can't delete: ${undeletable}`)
      const blockedBefore = new Set(before.filter(blocks).map((owner) => owner.uid))
      const blocking = now.filter((o) => blocks(o) && !blockedBefore.has(o.uid))
      if (blocking.length === 0 || (await ask('update', ALL_FINALIZERS)) === undefined) return
      const pace = new Pace()
      for (const owner of blocking) {
        if (pace.due(WORK_PER_OWNER)) await giveTurn()
        const found = ownerResource(owner, namespace, definitions)
        if (found === undefined) throw refusal(request, `cannot set blockOwnerDeletion in this case because ${noMapping(owner)}`)
        const unfinalizable = await ask('update', { ...found, subresource: 'finalizers', name: owner.name })
        if (unfinalizable === undefined) continue
        const why = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
        throw refusal(request, `${why}: ${unfinalizable}`)
      }
    },
  }
}

/** Who may set the finalizers of everything may block every owner, of unknown kinds too. */
const ALL_FINALIZERS = { group: '*', resource: '*', subresource: 'finalizers', name: '*' }

/** An authorizer's work for one owner, in values that are looked at. */
const WORK_PER_OWNER = 60

const blocks = ({ blockOwnerDeletion }: OwnerReference): boolean => blockOwnerDeletion === true

/** The resource of an owner and the namespace in which it would be; undefined if its kind is not served. */
function ownerResource({ apiVersion, kind }: OwnerReference, namespace: string, definitions: AdmissionDeps['definitions']) {
  const { group = '', version } = parseApiVersion(apiVersion) ?? {}
  const found = definitions.byKind(group, kind)
  if (found?.versions.some((v) => v.served && v.version === version) !== true) return undefined
  return { group, resource: found.names.plural, namespace: found.scope === 'Namespaced' ? namespace : '' }
}

function noMapping({ apiVersion, kind }: OwnerReference): string {
  const why = `no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`
  return `cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${why}`
}
