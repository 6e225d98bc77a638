import type { AdmissionRequest } from '../../apiserver/admission/plugin.ts'
import type { ResourceRef } from '../../machinery/api-call.ts'
import type { Draft, KubeObject } from '../../machinery/object.ts'
import { PODS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'

/** Whether the request is about objects of this collection (not a subresource), in any version. */
export const isAbout = <T extends KubeObject>(request: AdmissionRequest, ref: ResourceRef<T>): request is AdmissionRequest<T> =>
  request.subresource === '' && isOf(request, ref)

/** The same with all subresources. The caller has to distinguish those with an input of another kind (`binding`, `eviction`). */
export const isOf = <T extends KubeObject>(
  request: AdmissionRequest,
  { group, resource }: ResourceRef<T>,
): request is AdmissionRequest<T> => request.resource.resource === resource && request.resource.group === group

/** Whether the request writes the object, as opposed to deleting or connecting to it. */
export const isWrite = ({ operation }: AdmissionRequest): boolean => operation === 'CREATE' || operation === 'UPDATE'

/** The pod of a request that creates one. */
export const createdPod = (request: AdmissionRequest): Draft<Pod> | undefined =>
  request.operation === 'CREATE' && isAbout(request, PODS) ? request.object : undefined

export const MIRROR_POD = 'kubernetes.io/config.mirror'
