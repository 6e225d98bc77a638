import { type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { type Authorizer, resourceAttributes } from '../../../apiserver/identity/authorizer.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { notFound } from '../../../machinery/status-error.ts'
import { claimsOf } from '../../../resources/pod/mounted-claims.ts'

interface TokenFacts {
  readonly node: string
  readonly reader: Reader
  readonly authorizer: Authorizer
}

/** A node asks for tokens of pods that it runs, and for nobody that they have no use for. */
export async function nodeToken(request: AdmissionRequest, { node, reader, authorizer }: TokenFacts): Promise<void> {
  if (request.operation !== 'CREATE' || request.subresource !== 'token') return
  const { boundObjectRef: ref, audiences = [] } = request.object?.spec ?? {}
  if (ref?.apiVersion !== 'v1' || ref.kind !== 'Pod' || !ref.name) throw refusal(request, 'node requested token not bound to a pod')
  if (!ref.uid) throw refusal(request, 'node requested token with a pod binding without a uid')
  const pod = reader.get('', 'pods', request.namespace, ref.name)
  if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, ref.name)
  if (ref.uid !== pod.metadata.uid) {
    const why = 'does not match the UID in record. The object might have been deleted and then recreated'
    throw refusal(request, `the UID in the bound object reference (${ref.uid}) ${why}`)
  }
  if (pod.spec?.nodeName !== node) throw refusal(request, 'node requested token bound to a pod scheduled on a different node')
  if (audiences.length > 1) throw refusal(request, 'node may only request 0 or 1 audiences')
  const audience: string = audiences[0] ?? ''
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

interface Volume {
  readonly projected?: { readonly sources?: readonly { readonly serviceAccountToken?: { readonly audience?: string } }[] }
  readonly csi?: { readonly driver: string }
}

/** For whom tokens of a pod are: as its volumes say, or the drivers of its volumes. */
function audiencesOf(pod: KubeObject, reader: Reader): ReadonlySet<string> {
  const { namespace = '' } = pod.metadata
  const volumes: readonly Volume[] = pod.spec?.volumes ?? []
  const audiences = new Set<string>()
  for (const { serviceAccountToken } of volumes.flatMap((v) => v.projected?.sources ?? []))
    if (serviceAccountToken !== undefined) audiences.add(serviceAccountToken.audience ?? '')
  const drivers = [
    ...volumes.flatMap((v) => v.csi?.driver ?? []),
    ...claimsOf(pod).flatMap((claim) => driverOfClaim(reader, namespace, claim) ?? []),
  ]
  for (const driver of drivers)
    for (const { audience } of reader.get('storage.k8s.io', 'csidrivers', '', driver)?.spec?.tokenRequests ?? [])
      audiences.add(audience ?? '')
  return audiences
}

function driverOfClaim(reader: Reader, namespace: string, name: string): string | undefined {
  const volume: string | undefined = reader.get('', 'persistentvolumeclaims', namespace, name)?.spec?.volumeName
  return volume ? reader.get('', 'persistentvolumes', '', volume)?.spec?.csi?.driver : undefined
}
