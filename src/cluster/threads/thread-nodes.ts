import type { HeldResources } from '../../base/collections/held-resources.ts'
import { quiet } from '../../base/quiet.ts'
import type { NodeAgent } from '../../node/agent.ts'
import type { Link } from '../../threads/link.ts'
import { createLocalNodes, type LocalNodes } from '../nodes/local-nodes.ts'
import { placeAt } from '../nodes/node-places.ts'
import { loadNodes } from '../parts/load-nodes.ts'
import type { PartDeps } from '../parts/part-deps.ts'
import type { RunPart } from '../supervisor.ts'
import { FollowedCollections, readSource } from './followed-objects.ts'
import { NODE_NEEDS, type Presence } from './node-protocol.ts'
import { remoteFigures } from './remote-figures.ts'
import { nodeServices } from './serve-nodes.ts'
import type { PartWorkerData } from './thread-protocol.ts'

export interface ThreadNodesDeps extends PartDeps {
  readonly data: PartWorkerData
  /** To the API server's thread. */
  readonly link: Link
  readonly held: HeldResources
  readonly signal: AbortSignal
}

/** The simulated nodes in a thread of their own; the other end of the link reaches them from now on. */
export async function loadThreadNodes(deps: ThreadNodesDeps): Promise<RunPart> {
  const { setup, certificates, access, informers, data, link, held, signal } = deps
  const { deviceFolder, serverPort } = data
  const figures = remoteFigures(link)
  const agents = announcedAgents(link)
  const nodes = held.use(createLocalNodes({ setup, certificates, access, figures, deviceFolder, serverPort, agents }))
  link.offer(nodeServices(nodes.reach))
  const objects = new FollowedCollections({ informers, podInformers: informers, signal })
  return loadNodes({ ...deps, nodes, objects, source: readSource(access.transport()) })
}

/** The agents of this thread; the other end of the link gets the names of those that can be reached. */
function announcedAgents(link: Link): LocalNodes['agents'] {
  const exchange = link.open(NODE_NEEDS.present, {})
  const tell = (presence: Presence) =>
    void quiet(Promise.resolve(exchange.send(JSON.stringify(presence))), 'the link is closed when the thread ends')
  return new (class extends Map<string, NodeAgent> {
    override set(node: string, agent: NodeAgent) {
      const { ip, podCidrs = [] } = agent.identity
      tell({ node, here: true, place: placeAt(node, ip, podCidrs) })
      return super.set(node, agent)
    }
    override delete(node: string) {
      tell({ node, here: false })
      return super.delete(node)
    }
  })()
}
