import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { LiveText } from '../../base/live-text.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, harmless, int, ip, namedCertificates, refused, strings, text } from '../../machinery/flags/kinds.ts'
import { ipText } from '../../machinery/ip-address.ts'
import { optionFile } from './files.ts'
import { OptionsError } from './options-error.ts'

/** Where the server listens, and what it proves itself with. */
export const SERVING_FLAGS = {
  'bind-address': ip('0.0.0.0', { help: 'the address on which it listens' }),
  'secure-port': int(6443, { help: 'the port on which it listens' }),
  'cert-dir': text('/var/run/kubernetes', { help: 'where a self-signed certificate is kept when no --tls-cert-file is given' }),
  'tls-cert-file': text('', { help: 'the certificate of the server, and what leads from it to its authority' }),
  'tls-private-key-file': text('', { help: 'its private key' }),
  'tls-sni-cert-key': namedCertificates({ help: 'a certificate for other names: CERT,KEY[:NAME,NAME]' }),
  'tls-cipher-suites': strings([], refused('choose none: the ciphers of Node are used')),
  'tls-curve-preferences': strings([], refused('choose none: the curves of Node are used')),
  'tls-min-version': text('', { help: 'VersionTLS12 or VersionTLS13' }),
  'disable-http2-serving': bool(false, refused('HTTP/2 is always served beside HTTP/1.1')),
  'http2-max-streams-per-connection': int(0, harmless),
  'permit-address-sharing': bool(false, harmless),
  'permit-port-sharing': bool(false, refused('a port has one server')),
}

type ServingValues = FlagValues<typeof SERVING_FLAGS>

/** A certificate and its key, PEM; files are read again when they change. */
export interface LiveCertificate {
  readonly cert: LiveText
  readonly key: LiveText
}

export interface ServingOptions {
  readonly host: string
  /** 0 picks a free one; flags cannot say that. */
  readonly port: number
  /** Undefined: to be made by the server and kept in `certDir`. */
  readonly certificate: LiveCertificate | undefined
  readonly certDir: string
  readonly sni: readonly (LiveCertificate & { readonly names: readonly string[] })[]
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3'
}

const VERSIONS: Readonly<Record<string, ServingOptions['minVersion']>> = {
  '': 'TLSv1.2',
  VersionTLS10: 'TLSv1.2',
  VersionTLS11: 'TLSv1.2',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
}

export function servingFaults({ values }: { readonly values: ServingValues }): string[] {
  const port = values['secure-port']
  return port < 1 || port > 65_535 ? [`--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`] : []
}

export function readServing({ values }: { readonly values: ServingValues }): ServingOptions {
  const minVersion = VERSIONS[values['tls-min-version']]
  if (minVersion === undefined) throw new OptionsError('bad-option', `unknown tls version ${JSON.stringify(values['tls-min-version'])}`)
  const cert = values['tls-cert-file']
  const key = values['tls-private-key-file']
  const address = values['bind-address']
  return {
    host: address === undefined ? '0.0.0.0' : ipText(address),
    port: values['secure-port'],
    certificate: cert === '' && key === '' ? undefined : readPair(cert, key),
    certDir: values['cert-dir'],
    sni: values['tls-sni-cert-key'].map(({ names, certFile, keyFile }) => ({ names, ...readPair(certFile, keyFile) })),
    minVersion,
  }
}

function readPair(certFile: string, keyFile: string): LiveCertificate {
  const says = (error: string) => `failed to load certificate and key: ${error}`
  const cert = optionFile(certFile, says)
  const key = optionFile(keyFile, says)
  try {
    const leaf = new X509Certificate(cert.current())
    if (!leaf.checkPrivateKey(createPrivateKey(key.current()))) throw new Error('tls: private key does not match public key')
  } catch (cause) {
    throw new OptionsError('bad-file', says(cause instanceof Error ? cause.message : String(cause)), { cause })
  }
  return { cert, key }
}
