import { messageOf } from '../../../base/message-of.ts'
import { findContainer } from '../../pod/find-container.ts'
import { uidOnNode } from '../../static-pods/mirror-pods.ts'
import type { Handler } from '../api-request.ts'
import { containerNames, type KubeletHost, podByName } from '../kubelet-host.ts'
import { json, text } from '../kubelet-response.ts'

/** `/checkpoint`: writes the state of a running container into a file on its node, if the runtime supports it. */
export const checkpoint =
  (host: KubeletHost, now: () => number): Handler =>
  async ({ parameters: { podNamespace = '', podID = '', containerName = '' }, query, signal }) => {
    const pod = podByName(host, podNamespace, podID)
    if (pod === undefined) return text(404, 'pod does not exist')
    if (!containerNames(pod).includes(containerName)) return text(404, `container ${containerName} does not exist`)
    const requested = query.getAll('timeout').at(-1)
    if (requested !== undefined && !/^[+-]?\d+$/.test(requested)) return text(404, 'cannot parse value of timeout parameter')
    const failed = (why: string) => text(500, `checkpointing of ${podNamespace}/${podID}/${containerName} failed (${why})`)
    const id = await findContainer(host.runtime, uidOnNode(pod), containerName, signal)
    if (id === undefined) return failed(`container ${containerName} not found`)
    const at = new Date(now()).toISOString().replace(/\.\d+Z$/, 'Z')
    const location = `/var/lib/kubelet/checkpoints/checkpoint-${podID}_${podNamespace}-${containerName}-${at}.tar`
    const { checkpoint: write } = host.runtime
    if (write === undefined) return failed(`rpc error: code = Unimplemented desc = the runtime ${host.runtime.name} writes no checkpoints`)
    try {
      await write(id, location, Number(requested ?? 0), signal)
      return json(JSON.stringify({ items: [location] }))
    } catch (error) {
      return failed(messageOf(error))
    }
  }
