import { type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { type Authorizer, resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { notFound } from '../../../machinery/status-error.ts'
import { claimsOf } from '../../../resources/pod/mounted-claims.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { CSI_DRIVERS, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, SERVICE_ACCOUNTS } from '../../../resources/refs.ts'
import type { TokenRequest } from '../../../resources/types/authentication.ts'
import type { Pod } from '../../../resources/types/core.ts'
import { isOf } from '../requests-about.ts'

interface TokenFacts {
  readonly node: string
  readonly reader: Reader
  readonly authorizer: Authorizer
}

export const isTokenRequest = (r: AdmissionRequest): r is AdmissionRequest<TokenRequest> =>
  isOf(r, SERVICE_ACCOUNTS) && r.operation === 'CREATE' && r.subresource === 'token'

/** A node may request tokens bound to its pods, for audiences that those pods use. */
export async function nodeToken(request: AdmissionRequest<TokenRequest>, { node, reader, authorizer }: TokenFacts): Promise<void> {
  const ref = request.object?.spec?.boundObjectRef
  // A request without audiences has null here.
  const audiences = request.object?.spec?.audiences ?? []
  if (ref?.apiVersion !== 'v1' || ref.kind !== 'Pod' || !ref.name) throw refusal(request, 'node requested token not bound to a pod')
  if (!ref.uid) throw refusal(request, 'node requested token with a pod binding without a uid')
  const pod = readObject(reader, PODS, request.namespace, ref.name)
  if (pod === undefined) throw notFound({ group: '', resource: 'pod' }, ref.name)
  if (ref.uid !== pod.metadata.uid) {
    const why = 'does not match the UID in record. The object might have been deleted and then recreated'
    throw refusal(request, `the UID in the bound object reference (${ref.uid}) ${why}`)
  }
  if (pod.spec?.nodeName !== node) throw refusal(request, 'node requested token bound to a pod scheduled on a different node')
  if (audiences.length > 1) throw refusal(request, 'node may only request 0 or 1 audiences')
  const audience = audiences[0] ?? ''
  if (audiencesOf(pod, reader).has(audience)) return
  const attributes = resourceAttributes({
    user: request.user,
    verb: 'request-serviceaccounts-token-audience',
    version: 'v1',
    namespace: request.namespace,
    resource: audience,
    name: request.name,
  })
  const { verdict } = await authorizer.authorize(attributes)
  if (verdict !== 'allow') {
    const who = `${request.user.name} is not authorized to request tokens for this audience`
    throw refusal(request, `audience ${goQuote(audience)} not found in pod spec volume, ${who}`)
  }
}

/** The audiences of a pod's tokens: those of its projected volumes, and those of its CSI drivers. */
function audiencesOf(pod: Pod, reader: Reader): ReadonlySet<string> {
  const { namespace = '' } = pod.metadata
  const volumes = pod.spec?.volumes ?? []
  const audiences = new Set<string>()
  for (const { serviceAccountToken } of volumes.flatMap((v) => v.projected?.sources ?? []))
    if (serviceAccountToken !== undefined) audiences.add(serviceAccountToken.audience ?? '')
  const drivers = [
    ...volumes.flatMap((v) => v.csi?.driver ?? []),
    ...claimsOf(pod).flatMap((claim) => driverOfClaim(reader, namespace, claim) ?? []),
  ]
  for (const driver of drivers)
    for (const { audience } of readObject(reader, CSI_DRIVERS, '', driver)?.spec?.tokenRequests ?? []) audiences.add(audience ?? '')
  return audiences
}

function driverOfClaim(reader: Reader, namespace: string, name: string): string | undefined {
  const volume = readObject(reader, PERSISTENT_VOLUME_CLAIMS, namespace, name)?.spec?.volumeName
  return volume ? readObject(reader, PERSISTENT_VOLUMES, '', volume)?.spec?.csi?.driver : undefined
}
