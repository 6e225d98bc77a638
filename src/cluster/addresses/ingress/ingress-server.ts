import type http from 'node:http'
import type { SecureContext } from 'node:tls'
import type { Reader } from '../../../machinery/resource/definition.ts'
import { readObject } from '../../../resources/read-objects.ts'
import { SERVICES } from '../../../resources/refs.ts'
import { type DialServiceDeps, dialService } from '../dial-service.ts'
import { createProxyServer, requested } from '../proxy/proxy-server.ts'
import type { IngressRules, IngressTarget } from './ingress-rules.ts'

export interface IngressServerDeps extends DialServiceDeps {
  /** The rules now. */
  readonly rules: () => Promise<IngressRules>
  /** The certificate of a host; undefined: it has none, and the handshake fails. Absent: the server speaks HTTP. */
  readonly certificateOf?: (host: string) => SecureContext | undefined
}

/** Leads each request to a service: 404 without a rule for it, 503 without endpoints. */
export function createIngressServer({ rules, certificateOf, ...deps }: IngressServerDeps): http.Server {
  return createProxyServer({
    certificateOf,
    async decide(request) {
      const { host, path } = requested(request)
      const target = (await rules()).find(host, path)
      if (target === undefined) return { kind: 'refuse', code: 404 }
      const service = readObject(deps.reader, SERVICES, target.namespace, target.service)
      const port = portOf(target, deps.reader)
      const connection = service && port !== undefined ? await dialService(service, port, deps) : undefined
      return connection && { kind: 'forward', connection }
    },
  })
}

/** The number of a port of a service that may be given by its name. */
function portOf({ namespace, service, port }: IngressTarget, reader: Reader): number | undefined {
  if (typeof port === 'number') return port
  const ports = readObject(reader, SERVICES, namespace, service)?.spec?.ports ?? []
  return ports.find(({ name }) => name === port)?.port
}
