import { findContainer } from '../../pod/find-container.ts'
import { RuntimeError } from '../../runtime/runtime-error.ts'
import { uidOnNode } from '../../static-pods/mirror-pods.ts'
import type { Handler } from '../api-request.ts'
import { type KubeletHost, podByName } from '../kubelet-host.ts'
import { json, text } from '../kubelet-response.ts'

/** `/run`: runs a command to its end and returns its output. Words are separated by blanks only. */
export const run =
  (host: KubeletHost): Handler =>
  async ({ parameters: { podNamespace = '', podID = '', uid, containerName = '' }, query, signal }) => {
    const pod = podByName(host, podNamespace, podID)
    if (pod === undefined) return text(404, 'pod does not exist')
    const id =
      uid === undefined || uid === pod.metadata.uid ? await findContainer(host.runtime, uidOnNode(pod), containerName, signal) : undefined
    if (id === undefined) return text(500, `container not found ("${containerName}")`)
    const command = (query.get('cmd') ?? '').split(' ')
    try {
      const { exitCode, stdout, stderr } = await host.runtime.execSync(id, command, 0, signal)
      return exitCode === 0 ? json(stdout + stderr) : text(500, `command '${command.join(' ')}' exited with ${exitCode}: ${stderr}`)
    } catch (error) {
      if (error instanceof RuntimeError) return text(500, error.message)
      throw error
    }
  }
