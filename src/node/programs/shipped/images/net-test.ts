import type { Program } from '../../program.ts'
import { readFlags } from './flags.ts'

/** `nettest`: counts the peers that wrote to it, and what they reported. It does not look for peers by itself. */
export const netTest: Program = async (container) => {
  const flags = readFlags(container.args)
  const { hostname: Hostname } = container.facts
  const [Sent, Received] = [{} as Record<string, number>, Object.create(null) as Record<string, number>]
  const peers = flags.number('peers', 8)
  container.onSignal('SIGTERM', () => container.clock.after(flags.number('delay-shutdown', 0) * 1000, () => container.exit(0)))
  await container.listen(flags.number('port', 8080), async (request) => {
    switch (new URL(request.url).pathname) {
      case '/read':
        return Response.json({ Hostname, Sent, Received, Errors: null, Log: null, StillContactingPeers: false })
      case '/write': {
        const { Source = '' } = (await request.json().catch(() => ({}))) as { readonly Source?: string }
        Received[Source] = (Received[Source] ?? 0) + 1
        return Response.json({ Hostname })
      }
      case '/status':
        return new Response(Object.keys(Received).length >= peers ? 'pass' : 'running')
      case '/quit':
        return container.exit(0)
      default:
        return new Response('404 page not found\n', { status: 404 })
    }
  })
}
