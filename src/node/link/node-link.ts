import type { Transport } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { simulatedKey } from '../../machinery/simulated-annotations.ts'
import { unreachable } from '../../sdk/client/response-error.ts'
import type { NodeFeed, NodeFollower } from '../feed.ts'
import type { Pod } from '../types/pod.ts'

/**
 * The network link between one simulated node and the API server. While it is cut, the node's calls fail and it gets no events: its pods
 * keep running, and its lease expires. Afterwards it gets the changes that it missed.
 */
export class NodeLink {
  #cut = false
  readonly #turned: (cut: boolean) => void

  /** `turned` is called when the link is cut and when it is restored. */
  constructor(turned: (cut: boolean) => void) {
    this.#turned = turned
  }

  /** The node's view of the feed. */
  feed(inner: NodeFeed): NodeFeed {
    return { ...inner, follow: (nodeName, follower) => inner.follow(nodeName, this.#held(follower)) }
  }

  #held(follower: NodeFollower): NodeFollower {
    const missed = new Map<string, { readonly pod: Readonly<Pod>; readonly gone: boolean }>()
    const notify = (pod: Readonly<Pod>, gone: boolean) => {
      if (this.#cut) missed.set(pod.metadata.uid ?? '', { pod, gone })
      else if (gone) follower.podGone(pod)
      else follower.pod(pod)
    }
    return {
      node: (node) => {
        const cut = isUnreachable(node)
        if (cut !== this.#cut) {
          this.#cut = cut
          this.#turned(cut)
        }
        if (cut) return
        follower.node(node)
        for (const { pod, gone } of missed.values()) notify(pod, gone)
        missed.clear()
      },
      pod: (pod) => notify(pod, false),
      podGone: (pod) => notify(pod, true),
    }
  }

  /** The node's view of the transport: calls fail while the link is cut, and those in flight get no response. */
  transport(inner: Transport): Transport {
    const open = () => {
      if (this.#cut) throw unreachable('its address', 'no route to host')
    }
    const through = async <R>(call: () => Promise<R>): Promise<R> => {
      open()
      const answer = await call()
      open()
      return answer
    }
    return {
      connect: inner.connect,
      call: (call) => through(() => inner.call(call)),
      page: (call) => through(() => inner.page(call)),
      async *watch(call) {
        open()
        for await (const events of inner.watch(call)) {
          open()
          yield events
        }
      },
    }
  }
}

function isUnreachable({ metadata: { annotations } }: KubeObject): boolean {
  return (annotations?.[simulatedKey('unreachable')] ?? 'false') !== 'false'
}
