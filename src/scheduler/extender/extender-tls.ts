import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { codeOf } from '../../base/has-code.ts'
import { pemBlocks } from '../../machinery/x509/pem.ts'
import type { ExtenderConfiguration } from './extender-configuration.ts'
import { ExtenderError } from './extender-error.ts'

/** How connections to an extender are secured. With `enableHTTPS` and without a CA the server is not verified, as in Kubernetes. */
export function extenderTls({ enableHTTPS, tlsConfig = {} }: ExtenderConfiguration): ConnectionOptions {
  const hasAuthority = Boolean(tlsConfig.caData || tlsConfig.caFile)
  const insecure = tlsConfig.insecure === true || (enableHTTPS === true && !hasAuthority)
  if (insecure && hasAuthority) throw failed('specifying a root certificates file with the insecure flag is not allowed')
  const ca = read(tlsConfig.caData, tlsConfig.caFile)
  const fault = ca === undefined ? undefined : authorityFault(ca)
  if (fault !== undefined) throw failed(`unable to load root certificates: ${fault}`)
  const cert = read(tlsConfig.certData, tlsConfig.certFile)
  const key = read(tlsConfig.keyData, tlsConfig.keyFile)
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(tlsConfig.serverName === undefined ? {} : { servername: tlsConfig.serverName }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  }
}

const failed = (why: string) => new ExtenderError('tls', `couldn't build extenders: ${why}`)

/** Why a text holds no certificate of an authority, in the words of Go's client. An empty file trusts no certificate. */
function authorityFault(pem: string): string | undefined {
  if (pem === '') return undefined
  const blocks = pemBlocks(pem)
  const certificates = blocks.flatMap(({ type, body }) => (type === 'CERTIFICATE' ? [body] : []))
  if (certificates.some(isCertificate)) return undefined
  if (certificates.length > 0) return 'failed to parse certificate: x509: malformed certificate'
  return blocks.length === 0 ? 'unable to parse bytes as PEM block' : 'no valid certificate authority data seen'
}

function isCertificate(body: string): boolean {
  try {
    return new X509Certificate(Buffer.from(body, 'base64')).subject !== undefined
  } catch {
    return false
  }
}

function read(data: string | undefined, file: string | undefined): string | undefined {
  if (data) return Buffer.from(data, 'base64').toString()
  if (!file) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = codeOf(error)
    throw failed(
      `open ${file}: ${code === 'ENOENT' ? 'no such file or directory' : code === 'EACCES' ? 'permission denied' : String(code)}`,
    )
  }
}
