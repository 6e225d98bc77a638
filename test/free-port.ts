import { createServer } from 'node:net'

/**
 * A free port of 127.0.0.1, for a program that needs a fixed one. It is below the kernel's ephemeral ports, so that other tests do not take
 * it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const server = createServer()
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (free) return port
  }
}
