import type { Duplex } from 'node:stream'
import { dialRefused } from '../../base/http/network-error.ts'
import { quietErrors } from '../../base/quiet.ts'
import { linkedPair } from '../../base/stream-pair.ts'
import type { NodeAgent } from '../../node/agent.ts'
import { findSandbox } from '../../node/pod/find-container.ts'
import { uidOnNode } from '../../node/static-pods/mirror-pods.ts'
import type { Pod } from '../../resources/types/core.ts'
import { wireOf } from '../../streaming/wire.ts'

const never = new AbortController().signal

/** A connection to a port of a pod, through its runtime. */
export async function podPort({ runtime }: Pick<NodeAgent, 'runtime'>, pod: Pod, port: number): Promise<Duplex> {
  const [near, far] = linkedPair()
  quietErrors(far, 'the near end reports the error')
  const refused = () => near.destroy(new Error(dialRefused(`${pod.status?.podIP}:${port}`)))
  const sandbox = await findSandbox(runtime, uidOnNode(pod), never)
  if (sandbox === undefined) refused()
  else {
    const { sink } = wireOf(far)
    // A side that has stopped reading may still write.
    const source: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => far.iterator({ destroyOnReturn: false }) }
    // It is ended together with the whole connection, so that a refusal is not taken for an empty response.
    const open = { write: (chunk: Uint8Array) => sink.write(chunk), end: async () => {} }
    runtime.portForward(sandbox, port, { source, sink: open }, never).then(() => far.end(), refused)
  }
  return near
}
