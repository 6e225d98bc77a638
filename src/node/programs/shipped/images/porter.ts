import { issueCertificate, newKeyPair } from '../../../../machinery/x509/certificate.ts'
import type { FetchHandler, PortTls, Program } from '../../program.ts'
import { readFlags } from './flags.ts'
import { goLog } from './go-log.ts'

const DAY_MS = 86_400_000

/** The content type that Go detects: HTML, where the text begins with one of these tags. */
const PAGE = /^\s*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >]/i
const kindOf = (text: string) => (PAGE.test(text) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8')

/** The image's own certificate: of an unknown authority, for `localhost`. */
function selfSigned(nowMs: number): PortTls {
  const { publicKey, privateKey } = newKeyPair()
  const span = { notBefore: nowMs - DAY_MS, notAfter: nowMs + 365 * DAY_MS }
  const subject = { commonName: 'localhost', organizations: [] }
  const cert = issueCertificate({ subject, publicKey, ...span, usages: ['server'], dnsNames: ['localhost'] }, { key: privateKey, subject })
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/**
 * `porter`: each `SERVE_PORT_80=text` (also `SERVE_TCP_PORT_`, `SERVE_UDP_PORT_`, `SERVE_TLS_PORT_`) of its environment is a port that
 * answers with the text.
 */
export const porter: Program = async (container) => {
  const asJson = readFlags(container.args, ['json-response']).has('json-response')
  const { CERT_FILE: certFile, KEY_FILE: keyFile } = container.environment
  const own = certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : selfSigned(container.clock.now())
  for (const [name, value] of Object.entries(container.environment)) {
    const [, kind = 'TCP_', number] = name.match(/^SERVE_(TCP_|UDP_|SCTP_|TLS_)?PORT_(\d+)$/) ?? []
    if (number === undefined) continue
    const port = Number(number)
    const answer: FetchHandler = ({ method }) =>
      asJson ? Response.json({ Method: method, Body: value }) : new Response(value, { headers: { 'content-type': kindOf(value) } })
    if (kind === 'TCP_') await container.listen(port, answer)
    else if (kind === 'TLS_') await container.listen(port, answer, { tls: own })
    else if (kind === 'UDP_') await container.listenDatagrams(port, ({ reply }) => reply(Buffer.from(value)))
    else goLog(container, `SCTP is not spoken here: port ${port} stays closed`)
  }
  await container.clock.sleep(Number.MAX_SAFE_INTEGER)
}
