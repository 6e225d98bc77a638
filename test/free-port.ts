import { createServer } from 'node:net'

/**
 * A port of 127.0.0.1 that nobody has, for a program that wants to be told one. It lies below those that the kernel gives to whoever asks
 * for any: other tests, which do that all the time, do not take it meanwhile.
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
