import type { IncomingMessage } from 'node:http'
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import https from 'node:https'
import type { Socket } from 'node:net'
import { openLocalServer } from '../../../local-server.ts'
import { bodyOf, refuse, tooLarge, tunnel, type Upstream } from '../../../operator-trial/program/proxy-wire.ts'
import type { TestCertificate } from '../../../test-certificate.ts'
import type { SeamRules } from '../operator-seam.ts'
import { callOf } from './program-call.ts'
import { passCall, passOn, passWatch } from './program-exchange.ts'
import type { ProgramTraffic } from './program-traffic.ts'

/** What a proxy forwards to, and what it does. */
export interface ProgramProxyConfig {
  readonly certificate: TestCertificate
  readonly upstream: Upstream
  readonly rules: SeamRules
  readonly traffic: ProgramTraffic
}

/** The seam of an operator that is a program: its requests arrive by HTTPS, meet the rules of its run, and go on to the cluster. */
export interface ProgramProxy extends AsyncDisposable {
  readonly address: string
  /** PEM. */
  readonly ca: string
}

/** Opens the proxy on a free port of 127.0.0.1. */
export async function openProgramProxy(config: ProgramProxyConfig): Promise<ProgramProxy> {
  const { certificate, upstream, traffic } = config
  const agent = new https.Agent({ keepAlive: true, ca: upstream.ca, cert: upstream.cert, key: upstream.key })
  const { cert, key, ca } = certificate
  const server = http2.createSecureServer({ cert, key, allowHTTP1: true, noDelay: true }, (request, response) => {
    serve(config, agent, { request, response }).catch(() => response.destroy())
  })
  server.on('upgrade', ({ method = '', url = '', headers }: IncomingMessage, socket: Socket) => {
    traffic.opens(socket)
    tunnel({ method, url, headers, socket, upstream, onBytes: () => traffic.passed++ })
  })
  server.on('sessionError', () => {}) // a program that was killed takes no leave
  const local = await openLocalServer(server)
  return {
    address: `https://127.0.0.1:${local.port}`,
    ca,
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await local[Symbol.asyncDispose]()
    },
  }
}

async function serve(
  { rules, traffic, upstream: { address } }: ProgramProxyConfig,
  agent: https.Agent,
  { request, response }: { readonly request: Http2ServerRequest; readonly response: Http2ServerResponse },
): Promise<void> {
  const url = new URL(request.url, 'https://proxy')
  traffic.began()
  const body = await bodyOf(request).finally(() => traffic.ended())
  if (body === undefined) return refuse(response, tooLarge())
  const exchange = { request, response, url, body, rules, traffic, agent, address }
  const call = callOf(request.method, url, body)
  if (call !== undefined) traffic.calls(call)
  if (call?.verb === 'watch') return passWatch(exchange, call)
  traffic.began()
  try {
    await (call === undefined ? passOn(exchange) : passCall(exchange, call))
  } finally {
    traffic.ended()
  }
}
