import http2 from 'node:http2'
import type { Program } from '../../program.ts'
import { readFlags } from './flags.ts'

/** `HealthCheckResponse` of `grpc.health.v1`. */
const SERVING = 1
const NOT_SERVING = 2
const NOT_FOUND = 5
const UNIMPLEMENTED = 12

/** `grpc-health-checking`: serving for a number of seconds, or until a request for `/make-not-serving`. */
export const healthServer: Program = async (container) => {
  const flags = readFlags(container.args)
  const startedAtMs = container.clock.now()
  const illAfterS = flags.number('delay-unhealthy-sec', -1)
  const service = flags.text('service')
  let forced: boolean | undefined
  const seconds = () => (container.clock.now() - startedAtMs) / 1000
  const ill = () => forced ?? (illAfterS >= 0 && seconds() >= illAfterS)
  await container.listen(flags.number('http-port', 8080), (request) => {
    const { pathname } = new URL(request.url)
    if (pathname !== '/make-not-serving' && pathname !== '/make-serving') return new Response('404 page not found\n', { status: 404 })
    forced = pathname === '/make-not-serving'
    return new Response(`${seconds()}s`)
  })
  const server = healthService((name) => (name === service ? (ill() ? NOT_SERVING : SERVING) : undefined))
  await container.listen(flags.number('port', 5000), { connection: (connection) => void server.emit('connection', connection) })
}

/** Every service is reported as serving. */
export const alwaysServing = (): http2.Http2Server => healthService(() => SERVING)

/** `grpc.health.v1.Health/Check`; undefined: such a service is not known. */
function healthService(statusOf: (service: string) => number | undefined): http2.Http2Server {
  const server = http2.createServer()
  server.on('sessionError', () => {}) // a client that is cut off
  server.on('stream', (stream: http2.ServerHttp2Stream, headers) => {
    const pieces: Buffer[] = []
    stream.on('error', () => stream.destroy())
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    stream.on('end', () => {
      const known = headers[':path'] === '/grpc.health.v1.Health/Check'
      const found = known ? statusOf(serviceOf(Buffer.concat(pieces))) : undefined
      const [status, message] = found !== undefined ? [0, ''] : known ? [NOT_FOUND, 'unknown service'] : [UNIMPLEMENTED, 'unimplemented']
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () =>
        stream.sendTrailers({ 'grpc-status': String(status), ...(message !== '' && { 'grpc-message': message }) }),
      )
      stream.end(found === undefined ? undefined : Buffer.from([0, 0, 0, 0, 2, 0x08, found]))
    })
  })
  return server
}

/** The name in a framed `HealthCheckRequest`: its first field, when there is one. */
function serviceOf(frame: Buffer): string {
  const message = frame.subarray(5)
  return message[0] === 0x0a ? message.subarray(2, 2 + (message[1] ?? 0)).toString() : ''
}
