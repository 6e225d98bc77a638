import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import type { ExtenderConfiguration } from './extender-configuration.ts'
import { ExtenderError } from './extender-error.ts'

/** How connections to an extender are secured. With `enableHTTPS` and without a CA the server is not verified, as in Kubernetes. */
export function extenderTls({ enableHTTPS, tlsConfig = {} }: ExtenderConfiguration): ConnectionOptions {
  const ca = read(tlsConfig.caData, tlsConfig.caFile)
  const insecure = tlsConfig.insecure === true || (enableHTTPS === true && ca === undefined)
  if (insecure && ca !== undefined) throw failed('specifying a root certificates file with the insecure flag is not allowed')
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

function read(data: string | undefined, file: string | undefined): string | undefined {
  if (data) return Buffer.from(data, 'base64').toString()
  if (!file) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    throw failed(
      `open ${file}: ${code === 'ENOENT' ? 'no such file or directory' : code === 'EACCES' ? 'permission denied' : String(code)}`,
    )
  }
}
