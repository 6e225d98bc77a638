import type { Transport } from '../../machinery/api-call.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { simulatedKey } from '../../machinery/simulated-annotations.ts'
import { unreachable } from '../../sdk/client/answer-error.ts'
import type { NodeFeed, NodeFollower } from '../feed.ts'
import type { Pod } from '../types/pod.ts'

/**
 * What lies between one simulated node and the API server. While it is cut, the node's calls fail and it hears of nothing: its pods go
 * on, its lease runs out. Afterwards it is told what has become of its pods meanwhile.
 */
export class NodeLink {
  #cut = false
  readonly #turned: (cut: boolean) => void

  /** `turned` is called at each cut and at each end of one. */
  constructor(turned: (cut: boolean) => void) {
    this.#turned = turned
  }

  /** The feed as the node hears it. */
  feed(inner: NodeFeed): NodeFeed {
    return { ...inner, follow: (nodeName, follower) => inner.follow(nodeName, this.#held(follower)) }
  }

  #held(follower: NodeFollower): NodeFollower {
    const missed = new Map<string, { readonly pod: Readonly<Pod>; readonly gone: boolean }>()
    const tell = (pod: Readonly<Pod>, gone: boolean) => {
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
        for (const { pod, gone } of missed.values()) tell(pod, gone)
        missed.clear()
      },
      pod: (pod) => tell(pod, false),
      podGone: (pod) => tell(pod, true),
    }
  }

  /** The way as the node has it: each call fails while the link is cut, and of what was under way then nobody hears. */
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
