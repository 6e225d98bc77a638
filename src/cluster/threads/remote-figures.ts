import { quiet } from '../../base/quiet.ts'
import { Signal } from '../../base/signal.ts'
import type { Link, Services } from '../../threads/link.ts'
import type { ContainerFigures, PodFigures, PodName } from '../metrics/pod-figures.ts'
import { NODE_NEEDS } from './node-protocol.ts'

/** Offers the figures to `remoteFigures` at the other end of the link. */
export const figureServices = (figures: PodFigures): Services => ({
  async [NODE_NEEDS.figures]({ pods }, exchange) {
    // `remoteFigures` has written it.
    exchange.end(JSON.stringify({ figures: await figures.now(pods as unknown as readonly PodName[]) }))
  },
  async [NODE_NEEDS.described](_asked, exchange) {
    const changed = new Signal()
    figures.watch(() => changed.raise())
    while (!exchange.signal.aborted) {
      await exchange.send(JSON.stringify({ described: figures.described }))
      await changed.wait({ signal: exchange.signal })
    }
  },
})

/** The figures of the other end of the link. */
export function remoteFigures(link: Link): PodFigures {
  const tellers: (() => void)[] = []
  let described = false
  const listen = async () => {
    for await (const message of link.open(NODE_NEEDS.described, {}, { ended: true })) {
      described = JSON.parse(message.toString()).described === true
      for (const tell of tellers) tell()
    }
  }
  void quiet(listen(), 'the link is closed when the thread ends')
  return {
    async now(pods) {
      const { figures } = await link.ask(NODE_NEEDS.figures, { pods })
      return figures as unknown as readonly (readonly ContainerFigures[])[]
    },
    get described() {
      return described
    },
    watch: (tell) => void tellers.push(tell),
  }
}
