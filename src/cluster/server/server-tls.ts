import { X509Certificate } from 'node:crypto'
import type { TlsConfig } from '../../apiserver/http/connection/tls-config.ts'
import type { LiveText } from '../../base/live-text.ts'
import type { Logger } from '../../base/logger.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import { pairFault } from '../../server/options/serving.ts'

type TlsOptions = Pick<ServerOptions, 'serving' | 'authentication' | 'aggregation'>

/** The port's certificate and client CAs, as the files are now. */
export function tlsOf({ serving, authentication, aggregation }: TlsOptions): TlsConfig {
  if (serving.certificate === undefined) throw new Error('invariant: the certificate of the server is made before the server')
  const { frontProxy } = aggregation
  return {
    cert: serving.certificate.cert.current(),
    key: serving.certificate.key.current(),
    clientCa: authentication.clientCa?.current() ?? '',
    ...(frontProxy && { frontProxyCa: frontProxy.ca.current() }),
    minVersion: serving.minVersion,
    ciphers: serving.ciphers,
    sni: serving.sni.map(({ names, cert, key }) => ({
      names: names.length > 0 ? names : namesOf(cert.current()),
      cert: cert.current(),
      key: key.current(),
    })),
  }
}

/** Calls back when the files have changed and are consistent; otherwise logs that the old ones stay in use. */
export function followTls(options: TlsOptions, log: Logger, changed: (tls: TlsConfig) => void): Disposable {
  const { serving, authentication, aggregation } = options
  const texts: (LiveText | undefined)[] = [
    serving.certificate?.cert,
    serving.certificate?.key,
    authentication.clientCa,
    aggregation.frontProxy?.ca,
    ...serving.sni.flatMap(({ cert, key }) => [cert, key]),
  ]
  const look = () => {
    try {
      const tls = tlsOf(options)
      const fault = [tls, ...(tls.sni ?? [])].map(({ cert, key }) => pairFault(cert, key)).find((f) => f !== undefined)
      // A certificate and its key are two files, one of which changes first.
      if (fault !== undefined) log.warn('certificates have changed and do not fit together: the old ones stay', { fault })
      else changed(tls)
    } catch (error) {
      log.warn('certificates have changed and cannot be used: the old ones stay', { error })
    }
  }
  const following = texts.flatMap((text) => (text === undefined ? [] : [text.watch(look)]))
  return {
    [Symbol.dispose]() {
      for (const one of following) one[Symbol.dispose]()
    },
  }
}

/** The DNS names that a certificate is for. */
const namesOf = (pem: string): string[] =>
  (new X509Certificate(pem).subjectAltName ?? '').split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : []))
