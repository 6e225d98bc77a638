import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { equalJson } from '../../../machinery/equal.ts'
import { goQuote } from '../../../machinery/field-error.ts'
import { notFound } from '../../../machinery/status-error.ts'
import { apiReference } from '../../../resources/pod/api-references.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { CSI_NODES, LEASES, NODES, PERSISTENT_VOLUME_CLAIMS, PODS, RESOURCE_SLICES } from '../../../resources/refs.ts'
import type { Node, PersistentVolumeClaim, PersistentVolumeClaimStatus, Pod } from '../../../resources/types/core.ts'
import type { ResourceSlice } from '../../../resources/types/resource.ts'
import { nodeOf } from '../../auth/node/node-authorizer.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { isOf, MIRROR_POD } from '../requests-about.ts'
import { isTokenRequest, nodeToken } from './node-token.ts'

const RESTRICTED = 'node-restriction.kubernetes.io'
/** Labels under kubernetes.io and k8s.io that a node may set on itself. */
const OWN_LABELS = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'node.kubernetes.io/windows-build',
])

/** Restricts a node agent to its own node, its lease, and the pods that are bound to it. Off unless it is enabled, as upstream. */
export function nodeRestriction({ reader, authorizer }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    handles: (r) => r.operation !== 'CONNECT' && nodeOf(r.user) !== undefined,
    async mutate(request) {
      const node = nodeOf(request.user)
      if (node === undefined) return
      if (node === '') throw refusal(request, `could not determine node from user ${goQuote(request.user.name)}`)
      if (isOf(request, PODS)) return pods(request, node)
      if (isOf(request, NODES)) return nodes(request, node)
      if (isOf(request, PERSISTENT_VOLUME_CLAIMS)) return claims(request, node)
      if (isTokenRequest(request)) return nodeToken(request, { node, reader, authorizer })
      if (isOf(request, LEASES)) return leases(request, node)
      if (isOf(request, CSI_NODES)) return csiNodes(request, node)
      if (isOf(request, RESOURCE_SLICES)) return slices(request, node)
    },
  }

  function pods(request: AdmissionRequest<Pod>, node: string): void {
    if (request.subresource === 'eviction' || request.operation === 'DELETE') {
      const pod = request.oldObject ?? readObject(reader, PODS, request.namespace, request.name)
      if (pod === undefined) throw notFound({ group: '', resource: 'pod' }, request.name)
      if (pod.spec.nodeName !== node) {
        const what = request.operation === 'DELETE' ? `${goQuote(node)} can only delete` : `${node} can only evict`
        throw refusal(request, `node ${what} pods with spec.nodeName set to itself`)
      }
      return
    }
    if (request.subresource === 'status') {
      if (request.oldObject?.spec.nodeName !== node)
        throw refusal(request, `node ${goQuote(node)} can only update pod status for pods with spec.nodeName set to itself`)
      if (!equalJson(request.object?.metadata.labels ?? {}, request.oldObject?.metadata.labels ?? {})) {
        throw refusal(request, `node ${goQuote(node)} cannot update labels through pod status`)
      }
      const [now, before] = [request.object?.status, request.oldObject?.status]
      if (!equalJson(now?.resourceClaimStatuses ?? [], before?.resourceClaimStatuses ?? []))
        throw refusal(request, `node ${goQuote(node)} cannot update resource claim statues`)
      if (!equalJson(now?.extendedResourceClaimStatus ?? null, before?.extendedResourceClaimStatus ?? null))
        throw refusal(request, `node ${goQuote(node)} cannot update extended resource claim status`)
      return
    }
    if (request.subresource !== '')
      throw refusal(request, `unexpected pod subresource ${goQuote(request.subresource)}, only 'status' and 'eviction' are allowed`)
    if (request.operation !== 'CREATE')
      throw refusal(
        request,
        `unexpected operation ${goQuote(request.operation)}, node ${goQuote(node)} can only create and delete mirror pods`,
      )
    const pod = request.object
    if (pod !== undefined) mirrorPod(request, node, pod)
  }

  function mirrorPod(request: AdmissionRequest, node: string, pod: Pod): void {
    const only = (what: string) => refusal(request, `node ${goQuote(node)} can only create pods ${what}`)
    if (pod.metadata.annotations?.[MIRROR_POD] === undefined)
      throw refusal(request, `pod does not have ${goQuote(MIRROR_POD)} annotation, node ${goQuote(node)} can only create mirror pods`)
    if (pod.spec.nodeName !== node) throw only('with spec.nodeName set to itself')
    const owners = pod.metadata.ownerReferences ?? []
    if (owners.length > 1) throw only('with a single owner reference set to itself')
    const [owner] = owners
    if (owner === undefined) throw only('with an owner reference set to itself')
    if (owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) throw only('with an owner reference set to itself')
    if (owner.controller !== true) throw only('with a controller owner reference set to itself')
    if (owner.blockOwnerDeletion === true)
      throw refusal(request, `node ${goQuote(node)} must not set blockOwnerDeletion on an owner reference`)
    if (reader.get('', 'nodes', '', node)?.metadata.uid !== owner.uid)
      throw refusal(
        request,
        `node ${node} UID mismatch: expected ${owner.uid} got ${reader.get('', 'nodes', '', node)?.metadata.uid ?? ''}`,
      )
    const referred = apiReference(pod.spec)
    if (referred !== undefined) throw refusal(request, `node ${goQuote(node)} can not create pods that reference ${referred}`)
  }

  function nodes(request: AdmissionRequest<Node>, node: string): void {
    const name = request.name || (request.object?.metadata.name ?? '')
    if (name !== node) throw refusal(request, `node ${goQuote(node)} is not allowed to modify node ${goQuote(name)}`)
    const { object, oldObject } = request
    if (object === undefined) return
    if (request.operation === 'CREATE') {
      if (object.spec?.configSource !== undefined)
        throw refusal(request, `node ${goQuote(node)} is not allowed to create pods with a non-nil configSource`)
      const wrong = forbiddenLabels(object.metadata.labels ?? {}, {})
      if (wrong.length > 0) throw refusal(request, `node ${goQuote(node)} is not allowed to set the following labels: ${wrong.join(', ')}`)
      return
    }
    const { configSource } = object.spec ?? {}
    if (configSource !== undefined && !equalJson(configSource, oldObject?.spec?.configSource))
      throw refusal(request, `node ${goQuote(node)} is not allowed to update configSource to a new non-nil configSource`)
    if (!equalJson(object.spec?.taints ?? [], oldObject?.spec?.taints ?? []))
      throw refusal(request, `node ${goQuote(node)} is not allowed to modify taints`)
    if (!equalJson(object.metadata.ownerReferences ?? [], oldObject?.metadata.ownerReferences ?? []))
      throw refusal(request, `node ${goQuote(node)} is not allowed to modify ownerReferences`)
    const wrong = forbiddenLabels(object.metadata.labels ?? {}, oldObject?.metadata.labels ?? {})
    if (wrong.length > 0) throw refusal(request, `is not allowed to modify labels: ${wrong.join(', ')}`)
  }
}

/** A node may report the size and the conditions of a claim, and change nothing else of it. */
function claims(request: AdmissionRequest<PersistentVolumeClaim>, node: string): void {
  if (request.subresource !== 'status') throw refusal(request, 'may only update PVC status')
  if (request.operation !== 'UPDATE') throw refusal(request, `unexpected operation ${goQuote(request.operation)}`)
  const others = (claim: PersistentVolumeClaim | undefined) => {
    const { resourceVersion: _, managedFields: __, ...metadata } = claim?.metadata ?? {}
    const { capacity, conditions, allocatedResources, allocatedResourceStatuses, ...status }: PersistentVolumeClaimStatus =
      claim?.status ?? {}
    return { metadata, spec: claim?.spec ?? {}, status }
  }
  if (!equalJson(others(request.object), others(request.oldObject)))
    throw refusal(request, `node ${goQuote(node)} is not allowed to update fields other than status.quantity and status.conditions`)
}

function leases(request: AdmissionRequest, node: string): void {
  if (request.namespace !== 'kube-node-lease') throw refusal(request, 'can only access leases in the "kube-node-lease" system namespace')
  const name = request.name || (request.object?.metadata.name ?? '')
  if (name !== node) throw refusal(request, 'can only access node lease with the same name as the requesting node')
}

function csiNodes(request: AdmissionRequest, node: string): void {
  const name = request.name || (request.object?.metadata.name ?? '')
  if (name !== node) throw refusal(request, 'can only access CSINode with the same name as the requesting node')
}

function slices(request: AdmissionRequest<ResourceSlice>, node: string): void {
  const slice = request.operation === 'DELETE' ? request.oldObject : request.object
  if (slice !== undefined && slice.spec?.nodeName !== node) {
    throw refusal(request, `can only ${request.operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`)
  }
}

/** Changed labels that a node may not change on itself. */
function forbiddenLabels(now: Readonly<Record<string, string>>, before: Readonly<Record<string, string>>): string[] {
  const changed = [...new Set([...Object.keys(now), ...Object.keys(before)])].filter((key) => now[key] !== before[key])
  return changed.filter((key) => !mayLabel(key)).sort()
}

function mayLabel(key: string): boolean {
  const [prefix = '', name] = key.split('/')
  if (name === undefined) return true
  if (prefix === RESTRICTED || prefix.endsWith(`.${RESTRICTED}`)) return false
  if (OWN_LABELS.has(key)) return true
  const within = (domain: string) => prefix === domain || prefix.endsWith(`.${domain}`)
  if (!within('kubernetes.io') && !within('k8s.io')) return true
  return within('kubelet.kubernetes.io') || within('node.kubernetes.io')
}
