import { MessageChannel } from 'node:worker_threads'
import { Link, type Services } from './link.ts'

/** Both ends of a link in one thread. */
export function linkPair(services: { readonly near?: Services; readonly far?: Services } = {}) {
  const { port1, port2 } = new MessageChannel()
  return {
    near: new Link(port1, services.near),
    far: new Link(port2, services.far),
    [Symbol.dispose]() {
      port1.close()
      port2.close()
    },
  }
}
