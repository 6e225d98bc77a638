import type { Connector } from '../../apiserver/extension-points.ts'
import { badRequest, notImplemented } from '../../machinery/status-error.ts'
import { checkContainer } from './pod-log.ts'

/** Exec, attach and port-forward: the pod, its container and its node are looked at here; `door` opens the stream on the node. */
export const podStream =
  (name: string, door: Connector | undefined): Connector =>
  async (request, answer, tools) => {
    const pod = tools.object()
    await tools.admit()
    if (name !== 'podPortForward') checkContainer(pod, request.query.get('container') ?? '')
    if (!pod.spec?.nodeName) throw badRequest(`pod ${request.name} does not have a host assigned`)
    if (door === undefined) throw notImplemented(`${request.subresource} without a node agent`)
    return door(request, answer, tools)
  }

/** Proxies to pods, services and nodes: the object must be there. */
export const proxy =
  (door: Connector | undefined): Connector =>
  async (request, answer, tools) => {
    const object = tools.object()
    if (object.kind === 'Pod' && !object.status?.podIP) throw badRequest('address not allowed')
    await tools.admit()
    if (door === undefined) throw notImplemented(`proxying to ${request.definition.names.plural}`)
    return door(request, answer, tools)
  }
