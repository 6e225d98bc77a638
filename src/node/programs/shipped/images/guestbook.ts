import type { Later } from '../../../../base/steps.ts'
import type { ContainerProcess, Program } from '../../program.ts'
import { readFlags } from './flags.ts'

const PATIENCE_MS = 15_000
const AGAIN_MS = 1000
const ASK_MS = 5000

const failed = (status: number, message: string) => new Response(`${message}\n`, { status })

/**
 * `guestbook`: a store of words on three tiers. A replica registers at its primary, which sends it every change; a front end passes
 * requests on to `agnhost-primary` and `agnhost-replica`.
 */
export const guestbook: Program = async (container) => {
  const flags = readFlags(container.args)
  const backendPort = flags.number('backend-port', 6379)
  const store = new Map<string, string>()
  const replicas: string[] = []
  const ask = async (host: string, path: string, query: Readonly<Record<string, string>>) => {
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${backendPort}/${path}?${new URLSearchParams(query)}`
    const response = await container.fetch(url, { signal: AbortSignal.timeout(ASK_MS) })
    return response.text()
  }

  const set = async (key: string, value: string): Promise<Response> => {
    store.set(key, value)
    for (const host of replicas) {
      try {
        await ask(host, 'set', { key, value })
      } catch (error) {
        return failed(417, `encountered error while propagating to replica '${host}': ${String(error)}`)
      }
    }
    return new Response(JSON.stringify({ message: 'Updated' }))
  }
  const passOn = async (query: URLSearchParams): Promise<Response> => {
    const [cmd, key, value] = [(query.get('cmd') ?? '').toLowerCase(), query.get('key') ?? '', query.get('value') ?? '']
    if (cmd !== 'get' && cmd !== 'set') return failed(400, `unsupported cmd: '${cmd}'`)
    if (cmd === 'set' && key === '') return failed(400, 'cannot set with empty key.')
    try {
      return new Response(await ask(cmd === 'get' ? 'agnhost-replica' : 'agnhost-primary', cmd, { key, value }))
    } catch (error) {
      return failed(417, `encountered error: ${String(error)}`)
    }
  }
  const answer = (request: Request): Later<Response> => {
    const { pathname, searchParams: query } = new URL(request.url)
    const key = query.get('key') ?? ''
    switch (pathname) {
      case '/register':
        replicas.push(query.get('host') ?? '')
        return new Response(JSON.stringify({ data: Object.fromEntries(store) }))
      case '/get':
        return new Response(JSON.stringify({ data: key === '' ? Object.fromEntries(store) : (store.get(key) ?? '') }))
      case '/set':
        return key === '' ? failed(400, 'cannot set with empty key.') : set(key, query.get('value') ?? '')
      case '/guestbook':
        return passOn(query)
      default:
        return failed(404, '404 page not found')
    }
  }

  await container.listen(flags.number('http-port', 80), answer)
  const primary = flags.text('replicaof')
  if (primary === '') return undefined
  const registration = await registered(container, () => ask(primary, 'register', { host: container.facts.ips[0] ?? '' }))
  if (registration === undefined) return 1
  // What was set meanwhile is newer.
  for (const [key, value] of Object.entries(registration)) if (!store.has(key)) store.set(key, value)
  return undefined
}

/** What the primary has when the replica registers, which is tried for a while; undefined: it cannot. */
async function registered(
  container: ContainerProcess,
  register: () => Promise<string>,
): Promise<Readonly<Record<string, string>> | undefined> {
  const { clock } = container
  for (const end = clock.now() + PATIENCE_MS; clock.now() < end; await clock.sleep(AGAIN_MS)) {
    try {
      const { data } = JSON.parse(await register()) as { readonly data: Readonly<Record<string, string>> }
      return data
    } catch (error) {
      container.log(`encountered error while registering to primary: ${String(error)}. Retrying in 1s.`)
    }
  }
  container.log('Timed out while registering to primary.')
  return undefined
}
