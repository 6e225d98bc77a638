import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { LiveText } from '../../base/live-text.ts'
import { messageOf } from '../../base/message-of.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, harmless, int, ip, namedCertificates, refused, strings, text } from '../../machinery/flags/kinds.ts'
import { ipText } from '../../machinery/ip-address.ts'
import { optionFile } from '../option-file.ts'
import { OptionsError } from '../options-error.ts'

/** The address, and the serving certificate. */
export const SERVING_FLAGS = {
  'bind-address': ip('0.0.0.0', { help: 'the address on which it listens' }),
  'secure-port': int(6443, { help: 'the port on which it listens' }),
  'cert-dir': text('/var/run/kubernetes', { help: 'the folder of the self-signed certificate that is used without --tls-cert-file' }),
  'tls-cert-file': text('', { help: 'the certificate of the server, with those of intermediate authorities' }),
  'tls-private-key-file': text('', { help: 'the key of that certificate' }),
  'tls-sni-cert-key': namedCertificates({ help: 'a certificate for other names: CERT,KEY[:NAME,NAME]' }),
  'tls-cipher-suites': strings([], { help: 'the cipher suites of TLS 1.2, by their names in Go' }),
  'tls-curve-preferences': strings([], refused('choose none: the curves of Node are used')),
  'tls-min-version': text('', { help: 'VersionTLS12 or VersionTLS13' }),
  'disable-http2-serving': bool(false, refused('HTTP/2 is always served beside HTTP/1.1')),
  'http2-max-streams-per-connection': int(0, harmless),
  'permit-address-sharing': bool(false, harmless),
  'permit-port-sharing': bool(false, refused('a port has one server')),
}

type ServingValues = FlagValues<typeof SERVING_FLAGS>

/** A certificate and its key, PEM; files are reloaded when they change. */
export interface LiveCertificate {
  readonly cert: LiveText
  readonly key: LiveText
}

export interface ServingOptions {
  readonly host: string
  /** 0 picks a free port; the flag does not allow it. */
  readonly port: number
  /** Undefined: the server generates it and keeps it in `certDir`. */
  readonly certificate: LiveCertificate | undefined
  readonly certDir: string
  readonly sni: readonly (LiveCertificate & { readonly names: readonly string[] })[]
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3'
  /** For TLS 1.2, with OpenSSL's names; undefined: Node's default. */
  readonly ciphers: string | undefined
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
    certificate: certificateOf(cert, key),
    certDir: values['cert-dir'],
    sni: values['tls-sni-cert-key'].map(({ names, certFile, keyFile }) => ({ names, ...readPair(certFile, keyFile) })),
    minVersion,
    ciphers: ciphersOf(values['tls-cipher-suites']),
  }
}

/** Cipher suites that Go considers secure and OpenSSL has. Those of TLS 1.3 are always offered, in Go as in Node. */
const SUITES: Readonly<Record<string, string>> = {
  TLS_AES_128_GCM_SHA256: '',
  TLS_AES_256_GCM_SHA384: '',
  TLS_CHACHA20_POLY1305_SHA256: '',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
}

function ciphersOf(suites: readonly string[]): string | undefined {
  if (suites.length === 0) return undefined
  const unknown = suites.find((suite) => !Object.hasOwn(SUITES, suite))
  if (unknown !== undefined) throw new OptionsError('bad-option', `Cipher suite ${unknown} not supported or doesn't exist`)
  const always = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256']
  return [...always, ...suites.map((suite) => SUITES[suite]).filter(Boolean)].join(':')
}

function certificateOf(cert: string, key: string): LiveCertificate | undefined {
  if (cert === '' && key === '') return undefined
  if (cert === '' || key === '') throw new OptionsError('bad-file', 'missing filename for serving cert')
  return readPair(cert, key)
}

function readPair(certFile: string, keyFile: string): LiveCertificate {
  const pair = { cert: optionFile(certFile), key: optionFile(keyFile) }
  const fault = pairFault(pair.cert.current(), pair.key.current())
  if (fault !== undefined) throw new OptionsError('bad-file', fault)
  return pair
}

/** Go's `tls` message if a certificate and a key do not match; undefined if they do. */
export function pairFault(cert: string, key: string): string | undefined {
  if (!cert.includes('-----BEGIN ')) return 'tls: failed to find any PEM data in certificate input'
  if (!cert.includes('-----BEGIN CERTIFICATE-----'))
    return cert.includes('PRIVATE KEY-----')
      ? 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
      : 'tls: failed to find "CERTIFICATE" PEM block in certificate input'
  if (!key.includes('-----BEGIN ')) return 'tls: failed to find any PEM data in key input'
  if (!key.includes('PRIVATE KEY-----')) return 'tls: found a certificate rather than a key in the PEM for the private key'
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? undefined : 'tls: private key does not match public key'
  } catch (error) {
    return messageOf(error)
  }
}
