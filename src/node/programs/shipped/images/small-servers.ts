import { quiet } from '../../../../base/quiet.ts'
import { parseGoDuration } from '../../../../machinery/go/go-duration.ts'
import type { Program } from '../../program.ts'
import { readFlags } from './flags.ts'

/** `serve-hostname`: answers every request with its pod's name. */
export const serveHostname: Program = async (container) => {
  await container.listen(
    readFlags(container.args, ['http', 'tcp', 'udp', 'close']).number('port', 9376),
    () => new Response(container.facts.hostname),
  )
}

/** `test-webserver`: the files of the container. */
export const testWebserver: Program = async (container) => {
  await container.listen(readFlags(container.args).number('port', 80), async (request) => {
    const path = decodeURIComponent(new URL(request.url).pathname)
    const found = await container.files.stat(path).catch(() => undefined)
    if (found === undefined) return new Response('404 page not found\n', { status: 404 })
    if (found.kind === 'directory') return new Response((await container.files.readdir(path)).join('\n'))
    return new Response(Buffer.from(await container.files.readFile(path)))
  })
}

/** `liveness`: well for ten seconds, then no more. */
export const liveness: Program = async (container) => {
  const startedAtMs = container.clock.now()
  await container.listen(8080, (request) => {
    const seconds = (container.clock.now() - startedAtMs) / 1000
    const url = new URL(request.url)
    if (url.pathname === '/started') return new Response(`${seconds}s`)
    if (url.pathname === '/redirect') return new Response(null, { status: 302, headers: { location: url.searchParams.get('loc') ?? '/' } })
    if (url.pathname !== '/healthz') return new Response('404 page not found\n', { status: 404 })
    return seconds > 10 ? new Response(`error: ${seconds}`, { status: 500 }) : new Response('ok')
  })
}

/** A web server as its image comes: what lies in its folder. */
export function fileServer(name: string, folder: string): Program {
  return async (container) => {
    await container.listen(80, async (request) => {
      const { pathname } = new URL(request.url)
      const path = `${folder}${decodeURIComponent(pathname)}${pathname.endsWith('/') ? 'index.html' : ''}`
      const body = await container.files.readFile(path).catch(() => undefined)
      const headers = { 'content-type': 'text/html', server: name }
      return body === undefined ? new Response('Not Found\n', { status: 404, headers }) : new Response(Buffer.from(body), { headers })
    })
  }
}

const METHODS: readonly string[] = ['GET', 'POST', 'PUT']
const NAMESPACES: readonly string[] = ['kube-system', 'default', 'ns']

/** `logs-generator`: so many lines over so long, each like one of an API server's. */
export const logsGenerator: Program = async (container) => {
  const flags = readFlags(container.args)
  const total = flags.number('log-lines-total', flags.number('t', 0))
  const runMs = parseGoDuration(flags.text('run-duration', flags.text('d', '0s'))) ?? 0
  if (total <= 0 || runMs <= 0) {
    await container.stderr.write(`Invalid ${total <= 0 ? 'total number of lines' : 'duration'}\n`)
    return 255
  }
  const { random } = container
  const one = (of: readonly string[]) => of[random.int(of.length)]
  for (let i = 0; i < total; i++) {
    const at = new Date(container.clock.now()).toISOString()
    const url = `/api/v1/namespaces/${one(NAMESPACES)}/pods/${random.int(46_656).toString(36).padStart(3, '0')}`
    container.log(`${at} INFO ${i} ${one(METHODS)} ${url} ${200 + random.int(400)}`)
    await container.clock.sleep(runMs / total)
  }
  return 0
}

/** `entrypoint-tester`: prints its words, as Go prints a list. */
export const entrypointTester: Program = (container) => {
  container.log(`[${container.argv.join(' ')}]`)
  return 0
}

/** `inclusterclient`: asks the API again and again, with the token as it lies in its file at that time. */
export const inClusterClient: Program = async (container) => {
  const everyMs = readFlags(container.args).number('poll-interval', 30) * 1000
  for (;;) {
    const token = await container.files.readFile('/var/run/secrets/kubernetes.io/serviceaccount/token', 'utf8')
    const { KUBERNETES_SERVICE_HOST: host = 'kubernetes.default.svc', KUBERNETES_SERVICE_PORT: port = '443' } = container.environment
    container.log(`calling /healthz`)
    container.log(
      `authz_header=${Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(`Bearer ${token}`))).toString('base64url')}`,
    )
    const caFile = '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt'
    const { status } = await container.fetch(`https://${host}:${port}/healthz`, { caFile, headers: { authorization: `Bearer ${token}` } })
    if (status !== 200) container.log(`status=${status}`)
    await container.clock.sleep(everyMs)
  }
}

/** How long a process takes to go: as fast as one of a kernel, but not in no time, so that clients see the pod terminating. */
const GOING_MS = 100

/** `pause`: waits for a signal, and prints it; it ends with 1 after SIGINT, with 2 after SIGTERM. */
export const pause: Program = async (container) => {
  container.log('Paused')
  const { promise, resolve } = Promise.withResolvers<number>()
  for (const [signal, words, code] of [
    ['SIGINT', 'interrupt', 1],
    ['SIGTERM', 'terminated', 2],
  ] as const)
    container.onSignal(signal, async () => {
      const message = `exiting because of signal "${words}"\n`
      const path = container.environment.TERMINATION_MESSAGE_PATH ?? '/dev/termination-log'
      await quiet(container.files.writeFile(path, message), 'the message is also printed')
      await container.stdout.write(message)
      container.clock.after(GOING_MS, () => resolve(code))
    })
  container.log('Signals registered')
  return promise
}

/** `nonewprivs`: a program of root with the set-user-ID bit, which prints the user as whom it runs. */
export const setUserProgram: Program = async ({ files, facts, log }) => {
  const status = await files.readFile('/proc/self/status', 'utf8')
  log(`Effective uid: ${/^NoNewPrivs:\t1$/m.test(status) ? facts.user.uid : 0}`)
  return 0
}
