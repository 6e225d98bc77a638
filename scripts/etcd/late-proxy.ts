import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** A TCP proxy whose packets from the target come late, once `delay` has been called. */
export async function startLateProxy(target: URL) {
  let delayMs = 0
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    client.pipe(upstream)
    upstream.on('data', (chunk) => setTimeout(() => client.write(chunk), delayMs))
    for (const end of [client, upstream])
      end
        .on('error', () => {})
        .on('close', () => {
          client.destroy()
          upstream.destroy()
        })
  }).listen(0, '127.0.0.1')
  proxy.unref()
  await once(proxy, 'listening')
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('invariant: a TCP server has a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    delay(ms: number) {
      delayMs = ms
    },
  }
}
